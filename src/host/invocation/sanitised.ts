import DOMPurify from 'dompurify';

/** Attributes that hold a script, a style or a document, or make an element another one. */
const REFUSED = /^(on|style$|srcdoc$|srcset$|is$|formaction$|ping$)/i;
/** URLs that are no addresses: what they hold could run. Browsers pass over blanks and control characters in them. */
const NO_ADDRESS = /^(javascript|vbscript|data|blob|filesystem|about):/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is passed over
const BLANKS = /[\u0000-\u0020\u00a0\u1680\u180e\u2000-\u2029\u205f\u3000]/g;

/**
 * HTML without anything that could run: scripts, event attributes, styles, frames, forms that send something, foreign
 * markup, and addresses that are no addresses. In its own module, because it is loaded only for fragments.
 * @param elements names of the custom elements that stay
 */
export function sanitised(html: string, elements: readonly string[]): DocumentFragment {
  const purify = DOMPurify(window);
  purify.addHook('uponSanitizeAttribute', (_node, attribute) => {
    const address = attribute.attrValue.replace(BLANKS, '');
    if (REFUSED.test(attribute.attrName) || NO_ADDRESS.test(address)) attribute.keepAttr = false;
  });
  return purify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'dialog', 'link', 'meta', 'base'],
    SANITIZE_NAMED_PROPS: true,
    CUSTOM_ELEMENT_HANDLING: {
      tagNameCheck: (name: string) => elements.includes(name),
      attributeNameCheck: (name: string) => !REFUSED.test(name),
      allowCustomizedBuiltInElements: false,
    },
  });
}
