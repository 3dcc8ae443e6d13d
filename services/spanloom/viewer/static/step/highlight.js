/** Syntax highlighting: the highlighter's tree becomes elements, without any markup text. */
import { h } from "../vendor/preact.js";
import hljs from "../vendor/hljs.js";
import bash from "../vendor/hljs-bash.js";
import go from "../vendor/hljs-go.js";
import java from "../vendor/hljs-java.js";
import javascript from "../vendor/hljs-javascript.js";
import json from "../vendor/hljs-json.js";
import python from "../vendor/hljs-python.js";
import sql from "../vendor/hljs-sql.js";
import xml from "../vendor/hljs-xml.js";
import yaml from "../vendor/hljs-yaml.js";
import { visible } from "../ui/html.js";

/** Maximum characters of highlighted code; longer code stays plain. */
const MOST = 20_000;
for (const [name, grammar] of Object.entries({ bash, go, java, javascript, json, python, sql, xml, yaml })) hljs.registerLanguage(name, grammar);

/** @param {string} code @param {string} language the name in a Markdown fence */
export function highlighted(code, language) {
  if (code.length > MOST || !language || !hljs.getLanguage(language)) return visible(code);
  // oxlint-disable-next-line no-underscore-dangle -- the only access to its tree
  return hljs.highlight(code, { language, ignoreIllegals: true })._emitter.rootNode.children.map(piece);
}

/** @param {import("../vendor/hljs.js").Node | string} node @returns {import("../vendor/preact.js").Child} */
function piece(node) {
  if (typeof node === "string") return visible(node);
  return h("span", node.scope ? { class: `hl-${node.scope.split(".")[0]}` } : null, ...node.children.map(piece));
}
