import type { Metadata } from '../component/metadata.js';
import { describedInJson } from '../component/reading/json-descriptions.js';
import { createVocabulary, type Vocabulary } from '../component/vocabulary.js';
import { systemClock } from '../lib/clock.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { webFetch } from '../lib/fetch/web-fetch.js';
import { printable } from '../lib/printable.js';
import { describePackage } from '../publish/describe.js';
import { cautionOf, type Fetch, proofOf, type Target } from '../publish/document.js';
import type { ComponentChange } from '../publish/document-edit.js';
import { type Plan, planToPut, planToRemove } from '../publish/publication.js';
import { type Expected, type Listed, listedOn, listedSince } from '../publish/receipt.js';
import { withCommandFetch } from './command-fetch.js';
import { lintOptions, reportText } from './lint-verb.js';
import { folderTarget, podTarget } from './publish-targets.js';
import type { Terminal } from './terminal.js';

/** What the command `publish` can be told; `--help` says what each is for. */
interface PublishOptions {
  readonly to: string;
  readonly apply?: true;
  readonly node?: readonly string[];
  readonly shape?: readonly string[];
  readonly element?: string;
  readonly base?: string;
  readonly vocabulary: string;
  readonly at?: string;
  readonly replace?: true;
  readonly withdraw?: true;
  readonly issuer?: string;
  /** In ms. */
  readonly wait: number;
  readonly json?: true;
}

/** What programs learn from the exit code (design, section 18). */
const EXIT = { done: 0, hindered: 1, wouldChange: 3, notListed: 4 } as const;

/** Publishes what the package in a folder says of its elements. */
export function run(folder: string, options: PublishOptions, terminal: Terminal): Promise<number> {
  return withCommandFetch('publish', async (fetch) => {
    const vocabulary = createVocabulary(options.vocabulary);
    const { components, notes } = await componentsOf(folder, options, vocabulary);
    const target = targetOf(options, components[0]?.tag[0] ?? 'component', fetch);
    const parts = { target, vocabulary, lint: lintOptions(fetch, vocabulary) };
    const plan = options.withdraw
      ? await planToRemove(components, parts)
      : await planToPut(components, parts, options.replace);
    for (const note of [...notes, cautionOf(plan.before) ?? []].flat()) terminal.note(note);
    const say = options.json ? () => undefined : terminal.say;
    say(planText(plan, target.address));
    const asking = { fetch: webFetch(fetch, { trust: 'configured' }), signal: new AbortController().signal };
    const { code, ...done } = await carriedOut(plan, { target, options, say, asking });
    const { edit, report } = plan;
    const where = { to: target.address, document: target.url };
    const result = { ...done, ...where, changes: edit.changes, report, notes, text: edit.text };
    if (options.json) terminal.say(JSON.stringify({ ...result, exitCode: code }, null, 2));
    return code;
  });
}

/**
 * The components that a package publishes. To withdraw them, less has to be known.
 * @throws Error that says what is missing
 */
async function componentsOf(
  folder: string,
  { withdraw, shape, base, element }: PublishOptions,
  vocabulary: Vocabulary,
): Promise<{ components: Metadata[]; notes: readonly string[] }> {
  const described = await describePackage({ folder, base, element, shapes: shape ?? (withdraw && []) });
  const { components, invalid } = describedInJson(described.components, vocabulary);
  const faults = invalid.flatMap((one) => one.faults.map(({ detail }) => detail));
  if (faults.length > 0) throw new Error(`this is no description yet: ${faults.join(', ')}`);
  return { components, notes: withdraw ? [] : described.notes };
}

/** Where it is written: a document of a pod, which in a container has the name of the component, or a file in a folder. */
function targetOf({ to, at, issuer }: PublishOptions, name: string, fetch: GuardedFetch): Target {
  if (!/^https?:\/\//i.test(to)) return folderTarget(to, at);
  return podTarget(to.endsWith('/') ? `${to}${name}.ttl` : to, issuer, fetch);
}

interface Doing {
  readonly target: Target;
  readonly options: PublishOptions;
  readonly say: (text: string) => void;
  /** With what nodes and the document are asked, without credentials. */
  readonly asking: { readonly fetch: Fetch; readonly signal: AbortSignal };
}

/** Writes what is planned, as far as that is wanted, and waits for the nodes. */
async function carriedOut(plan: Plan, doing: Doing) {
  const { target, options, say } = doing;
  const { edit, before, isChange } = plan;
  const nothing = (code: number, why: string) => {
    say(`\nnothing is written${why}`);
    return { applied: false, nodes: [], code };
  };
  if (plan.isHindered) return nothing(EXIT.hindered, ': correct what the check calls an error');
  if (isChange && !options.apply) {
    const waits = options.node ? '' : ', and --node <url> waits until that node lists it';
    return nothing(EXIT.wouldChange, ` yet: --apply does it${waits}`);
  }
  const expected = await expectedOf(plan, doing);
  if (isChange) {
    await target.write(edit.text, before);
    say(`\n${edit.text === undefined ? 'deleted' : 'written'}: ${target.address}`);
  }
  const nodes = await receipts(expected, doing, edit.text !== undefined);
  const code = nodes.every(({ listed }) => listed) ? EXIT.done : EXIT.notListed;
  return { applied: isChange, nodes, code };
}

/** What nodes are to say afterwards; undefined while the address of the document is not known. */
async function expectedOf(
  { edit: { changes } }: Plan,
  { target: { url: document }, options, asking }: Doing,
): Promise<Expected | undefined> {
  if (document === undefined) return undefined;
  const changed = changes.filter(({ kind }) => kind !== 'unchanged').map(({ component }) => component.uri);
  const since = (options.node ?? []).map(
    async (node) => [node, await listedSince(node, document, changed, asking)] as const,
  );
  const components = options.withdraw ? [] : changes.map(({ component }) => component);
  const gone = options.withdraw ? changed : [];
  return { document, components, gone, before: new Map(await Promise.all(since)) };
}

/** Tells the nodes, and waits. @throws Error for a document that not everybody can read: no node lists it */
async function receipts(expected: Expected | undefined, doing: Doing, isThere: boolean): Promise<Listed[]> {
  const { options, say, asking } = doing;
  if (!expected) {
    if (options.node) throw new Error('say where the folder is on the web, once it is there: --at <url>');
    return [];
  }
  const proof = isThere ? await proofOf(expected.document, asking.fetch) : undefined;
  if (proof && proof.finding.level !== 'ok')
    throw new Error(`${expected.document}: ${proof.finding.what}: ${proof.finding.fix}; then run this again`);
  const patient = { ...asking, ...systemClock, patienceMs: options.wait };
  return Promise.all(
    (options.node ?? []).map(async (node) => {
      const listed = await listedOn(node, { ...expected, etag: proof?.etag }, patient);
      say(listedText(listed, options.withdraw === true));
      return listed;
    }),
  );
}

const SIGNS = { added: '+', changed: '~', unchanged: '=', removed: '-' } as const;

/** What publishing would do, for a terminal: where, the difference, and what the check finds. */
function planText({ edit: { changes }, report }: Plan, address: string): string {
  const lines = changes.length === 0 ? ['  nothing of this package is there'] : changes.map(changeText);
  const checked = report ? ['', reportText({ ...report, document: 'Check' })] : [];
  return [address, ...lines, ...checked].join('\n');
}

function changeText({ kind, component, before, fields }: ComponentChange): string {
  const { label, version, uri } = component;
  const versions = new Set([before?.version, version].filter((one) => one !== undefined));
  const named = [label, [...versions].join(' → ')].filter(Boolean).join(' ');
  const differ = fields.length === 1 ? 'differs' : 'differ';
  const what = fields.length === 0 ? '' : `: ${fields.join(', ')} ${differ}`;
  const state = kind === 'unchanged' ? ' is there already' : what;
  return printable(`  ${SIGNS[kind]} ${named} <${uri}>${state}`);
}

/** What nodes have made of it. */
function listedText({ node, listed, since, afterMs = 0, reason }: Listed, isWithdrawn: boolean): string {
  if (!listed)
    return printable(`  ${node} does not ${isWithdrawn ? 'leave it out' : 'list it'} yet: ${reason}`);
  const said = isWithdrawn ? 'lists it no more' : `lists it${since === undefined ? '' : ` since ${since}`}`;
  const more = reason === undefined ? '' : `; ${reason}`;
  return printable(`  ${node} ${said}, after ${(afterMs / 1000).toFixed(1)} s${more}`);
}
