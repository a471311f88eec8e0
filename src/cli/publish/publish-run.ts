import type { ComponentChange } from '../../describe/edit-document.js';
import { systemClock } from '../../lib/clock.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { printable } from '../../lib/printable.js';
import { howToOpen, mendOfStatus } from '../../lib/refused-document.js';
import { reportText } from '../../lint/report-text.js';
import type { Terminal } from '../terminal.js';
import { type Listed, listedOn } from './listed-on.js';
import { podCredentials, podTarget } from './pod-target.js';
import { publicForm } from './public-form.js';
import type { Plan } from './publication.js';
import type { PublishOptions } from './publish-options.js';
import { folderTarget, type Target } from './target.js';

interface RunParts {
  readonly options: PublishOptions;
  readonly fetch: GuardedFetch;
  readonly terminal: Terminal;
  /** What a document in a container is called, without its ending. */
  readonly name: string;
}

/** One run of the command: where it writes, what it says on the way, and the result for programs. */
export class PublishRun {
  readonly target: Target;
  readonly #parts: RunParts;
  readonly #isWithdrawal: boolean;
  readonly #result: Record<string, unknown> = { applied: false, nodes: [] };
  /** What the document's server calls the form that is published. */
  #etag: string | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#isWithdrawal = parts.options.withdraw === true;
    this.target = targetOf(parts);
  }

  /** Says what would happen, before anything does. */
  tell(plan: Plan, notes: readonly string[]): void {
    const { edit, report, before } = plan;
    const { address: to, url: document } = this.target;
    Object.assign(this.#result, { to, document, changes: edit.changes, report, notes, text: edit.text });
    for (const note of [...notes, before.caution ?? []].flat()) this.#parts.terminal.note(note);
    this.#say(planText(plan, to));
  }

  async write({ edit, before }: Plan): Promise<void> {
    await this.target.write(edit.text, before);
    this.#result.applied = true;
    this.#say(`\n${edit.text === undefined ? 'deleted' : 'written'}: ${this.target.address}`);
  }

  /** Tells the nodes, and waits. @returns false when one of them does not list it in time */
  async isListed({ edit }: Plan): Promise<boolean> {
    const { options, fetch, terminal } = this.#parts;
    const { url } = this.target;
    if (url === undefined) {
      if (options.node) throw new Error('say where the folder is on the web, once it is there: --at <url>');
      return true;
    }
    if (edit.text !== undefined) await this.#provePublic(url);
    const components = this.#isWithdrawal ? [] : edit.changes.map(({ component }) => component);
    const gone = this.#isWithdrawal ? edit.changes.map(({ component }) => component.uri) : [];
    const signal = terminal.interrupted();
    const expected = {
      ...{ document: url, etag: this.#etag, components, gone },
      ...{ fetch, clock: systemClock, patienceMs: options.wait, signal },
    };
    const nodes = await Promise.all(
      (options.node ?? []).map(async (node): Promise<Listed> => {
        const listed = await listedOn(node, expected);
        this.#say(listedText(listed, this.#isWithdrawal));
        return listed;
      }),
    );
    this.#result.nodes = nodes;
    return nodes.every(({ listed }) => listed);
  }

  /** Prints what is left to print, and gives the exit code. */
  end(words: string, code: number): number {
    const { options, terminal } = this.#parts;
    if (words !== '') this.#say(`\n${words}`);
    if (options.json) terminal.say(JSON.stringify({ ...this.#result, exitCode: code }, null, 2));
    return code;
  }

  /** Nodes read as everybody does: a document that only its owner can read is listed by nobody. */
  async #provePublic(url: string): Promise<void> {
    const { status, etag, rules } = await publicForm(url, this.#parts.fetch);
    this.#etag = etag;
    if (status === 200) return;
    if (status !== 401 && status !== 403)
      throw new Error(`${url} answers ${status} to others, so no node can list it: ${mendOfStatus(status)}`);
    throw new Error(
      `${url} is written, but not everybody can read it (${status}), so no node can list it: ${howToOpen(rules)}; then run this again`,
    );
  }

  #say(text: string): void {
    if (!this.#parts.options.json) this.#parts.terminal.say(text);
  }
}

/** Where it is written: a document of a pod, which in a container has the name of the component, or a file in a folder. */
function targetOf({ options, fetch, name }: RunParts): Target {
  const { to, at, issuer } = options;
  if (!/^https?:\/\//i.test(to)) return folderTarget(to, at);
  const url = to.endsWith('/') ? `${to}${name}.ttl` : to;
  return podTarget(url, { fetch, credentials: podCredentials(url, issuer, fetch) });
}

const SIGNS: Readonly<Record<ComponentChange['kind'], string>> = {
  added: '+',
  changed: '~',
  unchanged: '=',
  removed: '-',
};

/** What publishing would do, for a terminal: where, the difference, and what the check finds. */
function planText({ edit, report }: Plan, address: string): string {
  const lines = edit.changes.map(changeText);
  const none = lines.length === 0 ? ['  nothing of this package is there'] : [];
  const checked = report ? ['', reportText({ ...report, document: 'Check' })] : [];
  return [address, ...lines, ...none, ...checked].join('\n');
}

function changeText({ kind, component, before, fields }: ComponentChange): string {
  const { label, version, uri } = component;
  const versions = before?.version === version ? [version] : [before?.version, version];
  const shown = versions.filter((one) => one !== undefined).join(' → ');
  const what =
    fields.length === 0 ? '' : `: ${fields.join(', ')} ${fields.length === 1 ? 'differs' : 'differ'}`;
  const state = kind === 'unchanged' ? ' is there already' : what;
  return printable(`  ${SIGNS[kind]} ${[label, shown].filter(Boolean).join(' ')} <${uri}>${state}`);
}

/** What nodes have made of it. */
function listedText({ node, listed, since, afterMs, reason }: Listed, isWithdrawn: boolean): string {
  if (!listed)
    return printable(`  ${node} does not ${isWithdrawn ? 'leave it out' : 'list it'} yet: ${reason}`);
  const after = afterMs === undefined ? '' : `, after ${(afterMs / 1000).toFixed(1)} s`;
  const said = isWithdrawn ? 'lists it no more' : `lists it${since === undefined ? '' : ` since ${since}`}`;
  return printable(`  ${node} ${said}${after}${reason === undefined ? '' : `; ${reason}`}`);
}
