// The part of the parser of Markdown that the page uses.
export interface Token { type: string; tag: string; nesting: number; content: string; info: string; children: Token[] | null; attrGet(name: string): string | null }
declare const MarkdownIt: new (options: { html: boolean; linkify: boolean; maxNesting: number }) => { parse(text: string, env: object): Token[]; normalizeLink(address: string): string; normalizeLinkText(address: string): string };
export default MarkdownIt;
