import { integrityText } from '../component/integrity.js';
import { grouped } from '../lib/grouped.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import { type Because, pinOf, type SaidBy } from './candidate.js';
import { type ComponentMetadata, TRUSTS, type Trust, trustIn } from './component-metadata.js';
import { HostError } from './host-error.js';
import { readIntegrity } from './integrity.js';
import type { NodeAnswer } from './node-answers.js';

/** Whom a page listens to. */
export interface Listening {
  /**
   * Only descriptions of these sources count, by their URLs: pods, peers, and nodes for what was posted to them. Who is
   * named is trusted, unless `trust` says otherwise.
   */
  readonly sources?: readonly string[];
  /**
   * `own`: only what was posted to the node that is asked; `configured`, the default: that, and the sources that its
   * operator has named; `any`: also those that it has learned of from other nodes, for which nobody answers.
   */
  readonly trust?: 'own' | 'configured' | 'any';
  /**
   * So many nodes must say the same version and the same pin of a component, and each by itself: what one has taken from
   * another counts once. All nodes are asked then. 1 when absent.
   */
  readonly agree?: number;
  /**
   * Days for which a node must have known what a stranger says before it is used, so that what is wrong with it can be
   * noticed first; until then an earlier version is. It concerns what `trust: 'any'` lets in, and not who is named by
   * `sources`. 3 when absent.
   */
  readonly minimumAge?: number;
}

/** Ms. */
const DAY = 86_400_000;
const MINIMUM_AGE = 3;

/** What the nodes that agree say of one component. */
export interface Agreed extends Pick<Because, 'trust' | 'saidBy'> {
  /** As the first of them describes it. */
  readonly component: ComponentMetadata;
}

interface Saying {
  readonly node: string;
  readonly component: ComponentMetadata;
}

/** @throws HostError `request` for a number that these nodes can never reach, or that is none */
export function checkListening({ trust, agree = 1, minimumAge = 0 }: Listening, nodes: number): void {
  if (!(minimumAge >= 0))
    throw new HostError('request', `minimumAge must be a number of days, not ${minimumAge}`);
  if (trust !== undefined && !LEAST.includes(trust)) {
    throw new HostError('request', `there is no trust ${trust}; there are ${LEAST.join(', ')}`);
  }
  if (!Number.isInteger(agree) || agree < 1 || agree > nodes) {
    throw new HostError('request', `agree must be between 1 and the number of nodes, ${nodes}, not ${agree}`);
  }
}

const LEAST: readonly string[] = ['own', 'configured', 'any'];

/**
 * What the answers to one question offer to a page, and how many components are left out because nobody answers for them, or
 * not for long enough.
 * @param now ms since the epoch
 */
export function agreedIn(answers: readonly NodeAnswer[], listening: Listening, now: number) {
  const { sources, agree = 1, trust = sources ? 'any' : 'configured' } = listening;
  const { minimumAge = sources ? 0 : MINIMUM_AGE } = listening;
  const isOld = ({ since }: ComponentMetadata) => now - Date.parse(since ?? '') >= minimumAge * DAY;
  const named = sources && new Set(sources.map(comparable));
  const sayings = answers
    .flatMap(({ node, components }) => distinct(components).map((component) => ({ node, component })))
    .filter((saying) => !named || named.has(sayer(saying)));
  const trusted = sayings.filter(({ component }) => {
    const by = trustIn(component);
    return isEnough(by, trust) && (by !== 'learned' || minimumAge <= 0 || isOld(component));
  });
  const byUri = grouped(trusted, ({ component }) => component.uri);
  const agreed = [...byUri.values()].flatMap((about) => agreedOn(about, agree));
  return { agreed, untrusted: sayings.length - trusted.length };
}

/** Each node has one voice on each component, however often it lists it. */
function distinct(components: readonly ComponentMetadata[]): ComponentMetadata[] {
  return [...new Map(components.map((component) => [component.uri, component])).values()];
}

function isEnough(trust: Trust, least: NonNullable<Listening['trust']>): boolean {
  return TRUSTS.indexOf(trust) <= (least === 'any' ? TRUSTS.length : TRUSTS.indexOf(least));
}

function agreedOn(sayings: readonly Saying[], agree: number): Agreed[] {
  if (agree === 1) return sayings.slice(0, 1).map((saying) => agreement([saying], saying));
  const bySubject = grouped(sayings, ({ component }) => subjectOf(component));
  for (const [subject, same] of bySubject)
    if (subject !== undefined && new Set(same.map(witness)).size >= agree) return [agreement(same, same[0])];
  return [];
}

/** What must be the same for two nodes to say the same; undefined without a pin, because then they do not speak of bytes. */
function subjectOf(component: ComponentMetadata): string | undefined {
  const pin = pinOf(component);
  return pin && JSON.stringify([component.version, integrityText(readIntegrity(pin.integrity))]);
}

/** Who says it to the node, by a URL: a pod, a peer, or somebody who has posted it there. */
function sayer({ node, component: { source } }: Saying): string {
  return comparable(source?.kind === 'pod' || source?.kind === 'peer' ? source.url : node);
}

/** Who has seen it, by the URL of a node: two that have it from the same peer, or one from the other, are one witness. */
function witness({ node, component: { source } }: Saying): string {
  return comparable(source?.kind === 'peer' ? source.url : node);
}

/** The same text for all forms of a URL that mean the same, as far as that can be told. */
function comparable(url: string): string {
  return withoutTrailingSlashes(URL.canParse(url) ? new URL(url).href : url);
}

function agreement(sayings: readonly Saying[], { component }: Saying): Agreed {
  const trusts = sayings.map((saying) => TRUSTS.indexOf(trustIn(saying.component)));
  const saidBy = sayings.map(
    ({ node, component: { source } }): SaidBy => (source ? { node, source } : { node }),
  );
  return { component, trust: TRUSTS[Math.max(...trusts)] ?? 'learned', saidBy };
}
