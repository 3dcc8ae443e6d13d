/**
 * Markdown as elements: the parser's tokens become elements of an allow list, so that no markup text can
 * do harm. Line breaks are kept; images are named and never loaded.
 */
import { h } from "../vendor/preact.js";
import MarkdownIt from "../vendor/markdown-it.js";
import { t } from "../i18n/index.js";
import { visible } from "../ui/html.js";
import { highlighted } from "./highlight.js";
import { safeUrl } from "./media.js";

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
