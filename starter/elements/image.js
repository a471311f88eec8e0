import { ComponentElement } from '../../src/host/component-element.ts';
import { blobUrl, make, render } from './dom.js';
import { endOf } from './graph.js';

/** A picture, read with the session of the page. */
export default class ViewImage extends ComponentElement {
  async show(entry) {
    const src = blobUrl(this, await this.readData(entry, 'blob'));
    const name = endOf(entry);
    render(
      this.root,
      make('figure', {}, make('img', { src, alt: name }), make('figcaption', { class: 'small' }, name)),
    );
  }
}
