/**
 * Markdown as elements: the parser's tokens become elements of an allow list, so that no markup text can
 * do harm. Line breaks are preserved; images are shown as their name and never loaded.
 */
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
import MarkdownIt from "../vendor/markdown-it.js";
import { t } from "../i18n/index.js";
import { safeUrl } from "./json.js";

// Syntax highlighting: the highlighter's tree becomes elements, without any markup text.

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

// Markdown as elements.

/** @typedef {import("../vendor/preact.js").Child} Child */
/** @typedef {import("../vendor/markdown-it.js").Token} Token */
/** @typedef {{tag: string, props: Record<string, unknown> | null, children: Child[], after: Child}} Open */

const DEEPEST = 40;
const TAGS = new Set(["p", "em", "strong", "s", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "hr"]);
const parser = new MarkdownIt({ html: false, linkify: false, maxNesting: DEEPEST });
// A URL is shown as written, and checked by `safeUrl` before it becomes a link.
parser.normalizeLink = (address) => address;
parser.normalizeLinkText = (address) => address;

/** @param {string} text @returns {Child} */
export function rendered(text) {
  return elements(parser.parse(text, {}));
}

/** @param {Token[]} tokens @returns {Child[]} */
function elements(tokens) {
  /** @type {Open[]} */
  const open = [{ tag: "", props: null, children: [], after: null }];
  for (const token of tokens) {
    const top = /** @type {Open} */ (open.at(-1));
    if (token.nesting > 0) open.push(begun(token));
    else if (token.nesting === 0) top.children.push(leaf(token));
    else if (open.length > 1) {
      open.pop();
      open.at(-1)?.children.push(h(top.tag, top.props, ...top.children), top.after);
    }
  }
  return open[0].children;
}

/** @param {Token} token @returns {Open} */
function begun(token) {
  if (token.type === "link_open") return { ...linked(token.attrGet("href") ?? ""), children: [] };
  const heading = /^h[1-6]$/.test(token.tag);
  // Headings of untrusted text must not be part of the page's own outline.
  const tag = heading ? "p" : TAGS.has(token.tag) ? token.tag : "span";
  return { tag, props: heading ? { class: `md-${token.tag}` } : null, children: [], after: null };
}

/** @param {string} address @returns {Omit<Open, "children">} */
function linked(address) {
  const url = safeUrl(address);
  if (!url) return { tag: "span", props: null, after: null };
  const props = { href: url.href, rel: "noopener noreferrer nofollow", target: "_blank" };
  return { tag: "a", props, after: h("span", { class: "quiet" }, ` (${visible(url.host || url.pathname)})`) };
}

/** @param {Token} token @returns {Child} */
function leaf(token) {
  switch (token.type) {
    case "inline": return elements(token.children ?? []);
    case "softbreak":
    case "hardbreak": return h("br", null);
    case "hr": return h("hr", null);
    case "code_inline": return h("code", null, visible(token.content));
    case "fence":
    case "code_block": return h("pre", null, h("code", null, highlighted(token.content, token.info.trim().split(/\s+/)[0].toLowerCase())));
    case "image": return image(token);
    default: return visible(token.content);
  }
}

/** @param {Token} token @returns {Child} */
function image(token) {
  const { tag, props, after } = linked(token.attrGet("src") ?? "");
  return [h(tag, props, `${t("markdown.image")} ${visible(token.content)}`), after];
}
