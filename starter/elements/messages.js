import { ComponentElement } from '../../src/host/component-element.ts';
import { link, make, render, timeText } from './dom.js';
import { DCT, endOf, firstOf, LDP, labelOf, topicOf } from './graph.js';

const MESSAGE = 'http://www.w3.org/2005/01/wf/flow#message';
const CONTENT = 'http://rdfs.org/sioc/ns#content';
const MAKER = 'http://xmlns.com/foaf/0.1/maker';

/** The messages of a chat; of a long chat, which has a document for each day, those of the last day. */
export default class ViewMessages extends ComponentElement {
  async show(entry) {
    const quads = await this.readData(entry, 'quads');
    const topic = topicOf(quads, entry) ?? entry;
    const hasMessages = quads.some(
      ({ predicate }) => predicate.value === MESSAGE || predicate.value === CONTENT,
    );
    const said = hasMessages ? quads : await this.#lastDay(entry);
    const messages = said
      .filter(({ predicate }) => predicate.value === CONTENT)
      .map(({ subject: { value: iri }, object }) => ({
        ...{
          text: object.value,
          maker: firstOf(said, iri, MAKER),
          created: firstOf(said, iri, `${DCT}created`) ?? '',
        },
      }))
      .sort((one, other) => one.created.localeCompare(other.created));
    const rows = messages.map(({ text, maker, created }) => {
      const who =
        maker === undefined
          ? ''
          : link(maker, labelOf(said, maker) === endOf(maker) ? new URL(maker).host : labelOf(said, maker));
      return make('li', {}, make('div', { class: 'small' }, who, ' ', timeText(created)), text);
    });
    const none = make('p', {}, 'Nobody has written anything yet.');
    render(
      this.root,
      make('h2', {}, labelOf(quads, topic)),
      rows.length > 0 ? make('ul', { class: 'rows' }, rows) : none,
    );
  }

  /** Long chats keep messages in `YYYY/MM/DD/chat.ttl` beside their index. */
  async #lastDay(entry) {
    let folder = new URL('.', entry).href;
    for (let depth = 0; depth < 3; depth++) {
      const listed = await this.readData(folder, 'quads');
      const dated = listed
        .filter(
          ({ predicate, object }) => predicate.value === `${LDP}contains` && /\/\d+\/$/.test(object.value),
        )
        .map(({ object }) => object.value)
        .sort();
      if (dated.length === 0) return [];
      folder = dated.at(-1);
    }
    return this.readData(`${folder}chat.ttl`, 'quads');
  }
}
