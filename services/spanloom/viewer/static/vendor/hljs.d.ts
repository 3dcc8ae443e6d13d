// The part of the highlighter that the page uses.
export interface Node { scope?: string; children: (Node | string)[] }
declare const hljs: {
  registerLanguage(name: string, grammar: (hljs: unknown) => object): void;
  getLanguage(name: string): object | undefined;
  highlight(code: string, how: { language: string; ignoreIllegals: boolean }): { _emitter: { rootNode: Node } };
};
export default hljs;
