import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { ComponentElement } from '../../src/host/component-element.ts';
import { make, render } from './dom.js';

/** A document in Markdown. What it may contain in HTML is sanitised: it is somebody's data, and no program. */
export default class ViewMarkdown extends ComponentElement {
  async show(entry) {
    const page = make('article');
    const html = marked.parse(await this.readData(entry, 'text', 'text/markdown'), { async: false });
    page.append(DOMPurify.sanitize(html, { RETURN_DOM_FRAGMENT: true, FORBID_TAGS: ['style', 'form'] }));
    for (const anchor of page.querySelectorAll('[href]')) resolve(anchor, 'href', entry);
    for (const image of page.querySelectorAll('[src]')) resolve(image, 'src', entry);
    render(this.root, page);
  }
}

/** Links in a document lead from the document, not from the page that shows it. */
function resolve(element, attribute, base) {
  const target = element.getAttribute(attribute);
  if (URL.canParse(target, base)) element.setAttribute(attribute, new URL(target, base).href);
}
