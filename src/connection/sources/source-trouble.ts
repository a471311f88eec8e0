import { counted } from '../../lib/counted.js';
import type { Checked } from './source-check.js';
import type { FailureReason } from './source-reading.js';

/** A form that was sent and not accepted: the source as it was written, and what became of reading it. */
export interface Attempt {
  readonly written: string;
  readonly outcome: { readonly kind: 'no-address' } | Exclude<Checked, { kind: 'readable' }>;
}

export interface AttemptFault {
  readonly says: string;
  /** What the node met, in technical words. */
  readonly met?: string;
}

/** For people: what is wrong with their source, and what they can do about it. */
const TROUBLE: Readonly<Record<FailureReason, string>> = {
  refused:
    'This node does not read such addresses: it has to be a public one that begins with https:// or http://.',
  unreachable: 'This address could not be reached. Is it right, and is the server running?',
  forbidden:
    'This place does not let this node read it. Allow everyone to read it, and try again. An application that acts for you can connect a private place: it gives this node access to it.',
  missing: 'There is nothing at this address. Is it complete?',
  status: 'This place answers with an error. Try again later.',
  'no-data':
    'There is no data that this node understands at this address. It has to be a document in Turtle or JSON-LD, such as a profile in a pod; a web page is not enough.',
  malformed: 'The data at this address has mistakes, so that this node cannot read it.',
  'too-large': 'The document at this address is too large for this node.',
  busy: 'This node has too much to read just now. Try again in a moment.',
};

export function attemptFault({ outcome }: Attempt): AttemptFault {
  if (outcome.kind === 'no-address') {
    return { says: 'This is not an address. Write it as a whole, for example alice.pod.example/notes.' };
  }
  if (outcome.kind === 'busy') {
    const seconds = counted(Math.ceil(outcome.retryMs / 1000), 'second');
    return { says: `Too many sources are being tried. Try again in ${seconds}.` };
  }
  return { says: TROUBLE[outcome.reason], met: `(${outcome.message})` };
}
