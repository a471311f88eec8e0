import { ComponentElement } from '../../src/host/component-element.ts';
import { blobUrl, make, render } from './dom.js';
import { endOf } from './graph.js';

/** A file that people read: text as it is, pages and PDF in a frame that runs nothing, everything else to save. */
export default class ViewDocument extends ComponentElement {
  async show(entry) {
    const blob = await this.readData(entry, 'blob');
    const [type = ''] = blob.type.split(';');
    render(this.root, make('h2', {}, endOf(entry)), await this.#shown(blob, type, endOf(entry)));
  }

  async #shown(blob, type, name) {
    if (type === 'text/html') return make('iframe', { sandbox: '', srcdoc: await blob.text(), title: name });
    if (type === 'application/pdf') return make('iframe', { src: blobUrl(this, blob), title: name });
    if (type.startsWith('text/') || /[/+](json|xml)$/.test(type)) return make('pre', {}, await blob.text());
    return make('a', { href: blobUrl(this, blob), download: name }, `Save ${name} (${blob.size} bytes)`);
  }
}
