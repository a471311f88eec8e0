/** Makes an element with attributes and children; texts are never read as HTML. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(attribute, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined));
  return element;
}

/** A link, if browsers should follow it; else only its words. */
export function link(iri, words = iri) {
  return /^(https?|mailto|tel):/i.test(iri) ? make('a', { href: iri }, words) : make('span', {}, words);
}

/** A time as the visitor's language writes it; anything else as it is. */
export function timeText(value) {
  const time = new Date(value);
  if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(time.getTime())) return value;
  return value.includes('T') ? time.toLocaleString() : time.toLocaleDateString();
}

const STYLE = `
:host { display: block; font: 1rem/1.5 system-ui, sans-serif; color: CanvasText; overflow-wrap: anywhere; }
h2, h3 { line-height: 1.2; margin: 0 0 .5rem; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: GrayText; } dd { margin: 0; } ul { padding-left: 1.2rem; margin: 0; }
ul.rows { list-style: none; padding: 0; } ul.rows > li { padding: .3rem 0; border-bottom: 1px solid #8884; }
.small { color: GrayText; font-size: .85em; } img, video { max-width: 100%; } img.face { width: 4rem; height: 4rem; object-fit: cover; border-radius: 50%; }
pre { white-space: pre-wrap; } iframe { width: 100%; height: 80vh; border: 1px solid #8884; }`;

/** Shows this, and nothing else, in the root of an element. */
export function render(root, ...children) {
  root.replaceChildren(make('style', {}, STYLE), ...children.flat().filter((child) => child !== undefined));
}

/** A URL for bytes; earlier ones of the same element are given back. */
export function blobUrl(holder, blob) {
  if (holder.shownUrl) URL.revokeObjectURL(holder.shownUrl);
  holder.shownUrl = URL.createObjectURL(blob);
  return holder.shownUrl;
}
