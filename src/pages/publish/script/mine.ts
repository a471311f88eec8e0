import { HostError } from '../../../host/host-error.js';
import { byId, element } from '../../browser/element.js';
import { askOwnNode } from './own-node.js';

/** A component of the visitor's, as this node knows it. */
export interface Known {
  readonly document: string;
  readonly uri: string;
  readonly label: string;
  readonly version?: string;
}

/** What can be done with a component that is published already. */
export type Action = (known: Known) => Promise<void>;

/** Lists what this node knows of somebody's storages. */
export async function showMine(storages: readonly string[], edit: Action, withdraw: Action): Promise<void> {
  const found = await Promise.all(storages.map(knownIn));
  const rows = found.flat().map((known) => rowOf(known, edit, withdraw));
  byId('mine').hidden = rows.length === 0;
  byId('mine')
    .querySelector('ul')
    ?.replaceChildren(...rows);
}

interface Container {
  readonly documents: readonly { document: string; descriptions: readonly Omit<Known, 'document'>[] }[];
}

async function knownIn(storage: string): Promise<Known[]> {
  const path = `/why?${new URLSearchParams({ document: storage })}`;
  const { documents } = await askOwnNode<Container>(path).catch((error): Container => {
    if (error instanceof HostError) throw error;
    // The node has refused: it knows nothing of this storage.
    return { documents: [] };
  });
  return documents.flatMap(({ document, descriptions }) => descriptions.map((one) => ({ ...one, document })));
}

function rowOf(known: Known, edit: Action, withdraw: Action): HTMLElement {
  const name = [known.label, known.version].filter(Boolean).join(' ');
  const button = (words: string, act: () => unknown) => {
    const made = element('button', { type: 'button', class: 'second', 'aria-description': name }, words);
    made.addEventListener('click', act);
    return made;
  };
  let isSure = false;
  const removal = button('Withdraw', () => {
    // What cannot be taken back takes two clicks.
    if (isSure) return withdraw(known);
    isSure = true;
    removal.textContent = 'Really withdraw it';
    return undefined;
  });
  const about = [element('strong', {}, name), element('small', {}, known.document)];
  return element(
    'li',
    {},
    ...about,
    button('Edit', () => edit(known)),
    removal,
  );
}
