import type { Fetch } from '../../host/fetching.js';
import { readStored, writeStored } from './document.js';
import { type Graph, linksOf, readGraph } from './graph.js';

const ACL = 'http://www.w3.org/ns/auth/acl#';
const ACP = 'http://www.w3.org/ns/solid/acp#';
const FOAF_AGENT = 'http://xmlns.com/foaf/0.1/Agent';

/** A change of the rules of a pod that lets everyone read something. */
export interface AccessChange {
  /** What everyone could read: a document, or a container with all that is in it. */
  readonly target: string;
  /** The document with the rules, and what would be in it. */
  readonly rules: string;
  readonly text: string;
  apply(): Promise<void>;
}

/**
 * What would let everyone read a document or a container (Web Access Control, or Access Control Policy). Nothing is
 * changed yet. @throws Error that says why this page cannot tell
 */
export async function accessChange(target: string, fetch: Fetch): Promise<AccessChange> {
  const { rules, isPolicy } = await rulesOf(target, fetch);
  const before = await readStored(rules, fetch);
  const existing = before?.text ?? (isPolicy ? '' : await inherited(target, fetch));
  const text =
    `${existing.trimEnd()}\n\n${isPolicy ? policy(rules, target) : authorization(rules, target)}`.trimStart();
  return { target, rules, text, apply: () => writeStored(rules, text, before, fetch) };
}

/** Where the rules of a resource are, and in which language. */
async function rulesOf(url: string, fetch: Fetch): Promise<{ rules: string; isPolicy: boolean }> {
  const link = (await linksOf(url, fetch)).find(({ relations }) => relations.includes('acl'));
  if (!link)
    throw new Error(
      `the server of ${url} names no rules that this page could change: make it readable for everyone there`,
    );
  const rules = new URL(link.target, url).href;
  const types = await linksOf(rules, fetch);
  return {
    rules,
    isPolicy: rules.endsWith('.acr') || types.some(({ target }) => target === `${ACP}AccessControlResource`),
  };
}

/**
 * Rules of its own for something that has had those of a container above it: the same, so that nobody loses access
 * (Web Access Control, section 5.1).
 */
async function inherited(target: string, fetch: Fetch): Promise<string> {
  for (let url = above(target); url !== undefined; url = above(url)) {
    const { rules } = await rulesOf(url, fetch);
    if ((await readStored(rules, fetch)) === undefined) continue;
    return copied(await readGraph(rules, fetch), url, target);
  }
  throw new Error(`no container above ${target} has rules that this page could read`);
}

/** The container that something is in; undefined for the root of a server. */
function above(url: string): string | undefined {
  const container = new URL(url.endsWith('/') ? '..' : '.', url).href;
  return container === url ? undefined : container;
}

const KEPT = ['mode', 'agent', 'agentClass', 'agentGroup', 'origin'].map((name) => ACL + name);

/** The rules that a container has for what is in it, as rules for one thing in it. */
function copied(graph: Graph, container: string, target: string): string {
  return graph
    .subjects(`${ACL}default`, container)
    .map((subject, i) => {
      const values = KEPT.flatMap((predicate) =>
        graph.objects(subject, predicate).map((object) => `    <${predicate}> <${object}>`),
      );
      return rule(`#as-before-${i + 1}`, target, values);
    })
    .join('\n');
}

function authorization(rules: string, target: string): string {
  return rule(`${rules}#everyone`, target, [
    `    <${ACL}agentClass> <${FOAF_AGENT}>`,
    `    <${ACL}mode> <${ACL}Read>`,
  ]);
}

/** The rules of a container are for itself and, by default, for what is in it. */
function rule(name: string, target: string, values: readonly string[]): string {
  const scope = target.endsWith('/') ? ['accessTo', 'default'] : ['accessTo'];
  const about = scope.map((term) => `    <${ACL}${term}> <${target}>`);
  return `<${name}> a <${ACL}Authorization>;\n${[...about, ...values].join(';\n')}.\n`;
}

function policy(rules: string, target: string): string {
  const terms = target.endsWith('/') ? ['accessControl', 'memberAccessControl'] : ['accessControl'];
  const controls = terms.map((term) => `    <${ACP}${term}> <${rules}#everyone>`);
  return `<${rules}> a <${ACP}AccessControlResource>;
    <${ACP}resource> <${target}>;
${controls.join(';\n')}.
<${rules}#everyone> a <${ACP}AccessControl>; <${ACP}apply> <${rules}#everyone-reads>.
<${rules}#everyone-reads> a <${ACP}Policy>; <${ACP}allow> <${ACL}Read>; <${ACP}anyOf> <${rules}#world>.
<${rules}#world> a <${ACP}Matcher>; <${ACP}agent> <${ACP}PublicAgent>.
`;
}
