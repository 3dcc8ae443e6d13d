// A grammar of the highlighter.
declare const grammar: (hljs: unknown) => object;
export default grammar;
