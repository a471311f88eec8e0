import { HostError } from '../../../host/host-error.js';
import { byId, element } from '../../browser/element.js';
import { askOwnNode } from './draft.js';

/** A component of the visitor's, as this node knows it. */
export interface Known {
  readonly document: string;
  readonly uri: string;
  readonly label: string;
  readonly version?: string;
}

interface Container {
  readonly documents: readonly {
    readonly document: string;
    readonly descriptions: readonly Omit<Known, 'document'>[];
  }[];
}

/** What can be done with a component that is published already. */
export interface Actions {
  readonly edit: (known: Known) => Promise<void>;
  readonly withdraw: (known: Known) => Promise<void>;
}

/** Lists what this node knows of somebody's storages. */
export async function showMine(storages: readonly string[], actions: Actions): Promise<void> {
  const found = await Promise.all(storages.map(knownIn));
  const rows = found.flat().map((known) => rowOf(known, actions));
  byId('mine').hidden = rows.length === 0;
  byId('mine')
    .querySelector('ul')
    ?.replaceChildren(...rows);
}

async function knownIn(storage: string): Promise<Known[]> {
  const known = askOwnNode<Container>(`/why?${new URLSearchParams({ document: storage })}`);
  const { documents } = await known.catch((error): Container => {
    if (error instanceof HostError) throw error;
    // The node has refused: it knows nothing of this storage.
    return { documents: [] };
  });
  return documents.flatMap(({ document: at, descriptions }) =>
    descriptions.map(({ uri, label, version }) => ({ document: at, uri, label, version })),
  );
}

function rowOf(known: Known, { edit, withdraw }: Actions): HTMLElement {
  const name = [known.label, known.version].filter(Boolean).join(' ');
  let isSure = false;
  const removal = button('Withdraw', known, async () => {
    // What cannot be taken back takes two clicks.
    if (isSure) return withdraw(known);
    isSure = true;
    removal.textContent = 'Really withdraw it';
  });
  const change = button('Edit', known, () => edit(known));
  return element(
    'li',
    {},
    element('strong', {}, name),
    element('small', {}, known.document),
    change,
    removal,
  );
}

function button(
  words: string,
  { label, version = '' }: Known,
  action: () => Promise<void>,
): HTMLButtonElement {
  const about = { type: 'button', class: 'second', 'aria-description': `${label} ${version}` };
  const made = element('button', about, words);
  made.addEventListener('click', action);
  return made;
}
