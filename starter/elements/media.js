import { ComponentElement } from '../../src/host/component-element.ts';
import { blobUrl, make, render } from './dom.js';
import { endOf } from './graph.js';

/** A sound or a video, read with the session of the page. */
export default class ViewMedia extends ComponentElement {
  async show(entry) {
    const blob = await this.readData(entry, 'blob');
    const player = make(blob.type.startsWith('audio/') ? 'audio' : 'video', {
      src: blobUrl(this, blob),
      controls: '',
    });
    render(this.root, player, make('p', { class: 'small' }, endOf(entry)));
  }
}
