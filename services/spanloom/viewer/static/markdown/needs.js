/**
 * Short replacements for five packages that markdown-it imports. The packages would be half as large as the
 * parser: mostly entity names, and tables of punctuation, which the browser also has.
 */
// The entities `&name;` of Markdown: the entities of HTML 4, and the entities of HTML 5 for ASCII characters, such as
// `&lbrace;`. The other 1,800 of HTML 5 would be 13 kB of unused names; they are shown unchanged.

const TABLE = [
  "Tab \u0009 NewLine \u000a excl ! QUOT \" quot \" num # dollar $ percnt % AMP & amp & apos ' lpar ( rpar ) ast * midast * plus + comma ,",
  "period . sol / colon : semi ; LT < lt < equals = GT > gt > quest ? commat @ lbrack [ lsqb [ bsol \\ rbrack ] rsqb ] Hat ^ UnderBar _",
  "lowbar _ DiacriticalGrave ` grave ` lbrace { lcub { VerticalLine | verbar | vert | rbrace } rcub } nbsp \u00a0 iexcl ¡ cent ¢ pound £",
  "curren ¤ yen ¥ brvbar ¦ sect § uml ¨ copy © ordf ª laquo « not ¬ shy \u00ad reg ® macr ¯ deg ° plusmn ± sup2 ² sup3 ³ acute ´ micro µ",
  "para ¶ middot · cedil ¸ sup1 ¹ ordm º raquo » frac14 ¼ frac12 ½ frac34 ¾ iquest ¿ Agrave À Aacute Á Acirc Â Atilde Ã Auml Ä Aring Å",
  "AElig Æ Ccedil Ç Egrave È Eacute É Ecirc Ê Euml Ë Igrave Ì Iacute Í Icirc Î Iuml Ï ETH Ð Ntilde Ñ Ograve Ò Oacute Ó Ocirc Ô Otilde Õ",
  "Ouml Ö times × Oslash Ø Ugrave Ù Uacute Ú Ucirc Û Uuml Ü Yacute Ý THORN Þ szlig ß agrave à aacute á acirc â atilde ã auml ä aring å",
  "aelig æ ccedil ç egrave è eacute é ecirc ê euml ë igrave ì iacute í icirc î iuml ï eth ð ntilde ñ ograve ò oacute ó ocirc ô otilde õ",
  "ouml ö divide ÷ oslash ø ugrave ù uacute ú ucirc û uuml ü yacute ý thorn þ yuml ÿ OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ",
  "tilde ˜ Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ",
  "Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν",
  "xi ξ omicron ο pi π rho ρ sigmaf ς sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω thetasym ϑ upsih ϒ piv ϖ ensp \u2002 emsp \u2003",
  "thinsp \u2009 zwnj \u200c zwj \u200d lrm \u200e rlm \u200f ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger †",
  "Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ",
  "larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋",
  "prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤",
  "ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ loz ◊ spades ♠ clubs ♣ hearts ♥",
  "diams ♦ lang ⟨ rang ⟩",
];

/** @type {Map<string, string>} The characters by entity name. */
export const named = new Map();
for (const line of TABLE) {
  const words = line.split(" ");
  for (let at = 0; at < words.length; at += 2) named.set(words[at], words[at + 1]);
}

// The functions that markdown-it imports.

/** Punctuation and symbols, by which emphasis is distinguished from literal asterisks. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;

/** The character of a reference such as `&copy;`, or the reference itself. @param {string} reference with `&` and `;` */
export function decodeHTMLStrict(reference) {
  return named.get(reference.slice(1, -1)) ?? reference;
}

/** Finds URLs in texts; never called, because `linkify` is off. */
export class LinkifyIt {}

/** Converts host names of URLs; never called, because `normalizeLink` is replaced. */
export default {};
