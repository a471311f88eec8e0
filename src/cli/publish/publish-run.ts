import type { ComponentChange } from '../../describe/edit-document.js';
import { systemClock } from '../../lib/clock.js';
import type { FlagValues } from '../../lib/command-line.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { printable } from '../../lib/printable.js';
import { mendOfStatus } from '../../lib/refused-document.js';
import { reportText } from '../../lint/report-text.js';
import { textOf, wordsOf } from '../flag-values.js';
import type { Terminal } from '../runnable-verb.js';
import { type Listed, listedOn } from './listed-on.js';
import { podAccess } from './pod-access.js';
import { type PodTargetParts, podTarget } from './pod-target.js';
import { makePublic, publicForm } from './public-read.js';
import type { Plan } from './publication.js';
import { folderTarget, type Target } from './target.js';

interface RunParts {
  readonly flags: FlagValues;
  readonly fetch: GuardedFetch;
  readonly terminal: Terminal;
  /** What a document in a container is called, without its ending. */
  readonly name: string;
}

/** How long nodes are waited for, in seconds. */
const PATIENCE_S = 120;

/** One run of the command: where it writes, what it says on the way, and the result for programs. */
export class PublishRun {
  readonly target: Target;
  readonly #parts: RunParts;
  readonly #access: PodTargetParts | undefined;
  readonly #isWithdrawal: boolean;
  readonly #result: Record<string, unknown> = { applied: false, nodes: [] };
  /** What the document's server calls the form that is published. */
  #etag: string | undefined;

  /** @throws Error when nobody said where to */
  constructor(parts: RunParts) {
    const { flags, fetch, terminal, name } = parts;
    this.#parts = parts;
    this.#isWithdrawal = flags.withdraw === true;
    const to = textOf(flags.to);
    if (to === undefined)
      throw new Error('say where to: --to <URL in your pod>, or --to <folder> for a static host');
    if (!/^https?:\/\//i.test(to)) {
      this.target = folderTarget(to, textOf(flags.at));
      return;
    }
    const url = to.endsWith('/') ? `${to}${name}.ttl` : to;
    this.#access = podAccess(url, textOf(flags.issuer), fetch, terminal);
    this.target = podTarget(url, this.#access);
  }

  /** Says what would happen, before anything does. */
  tell(plan: Plan, notes: readonly string[]): void {
    const { edit, report } = plan;
    const { address: to, url: document } = this.target;
    Object.assign(this.#result, { to, document, changes: edit.changes, report, notes, text: edit.text });
    for (const note of notes) this.#parts.terminal.note(note);
    this.#say(planText(plan, to));
  }

  async write({ edit, before }: Plan): Promise<void> {
    await this.target.write(edit.text, before);
    this.#result.applied = true;
    this.#say(`\n${edit.text === undefined ? 'deleted' : 'written'}: ${this.target.address}`);
  }

  /** Tells the nodes, and waits. @returns false when one of them does not list it in time */
  async isListed({ edit }: Plan): Promise<boolean> {
    const { flags, fetch, terminal } = this.#parts;
    const { url } = this.target;
    if (url === undefined) {
      if (flags.node) throw new Error('say where the folder is on the web, once it is there: --at <url>');
      return true;
    }
    if (edit.text !== undefined) await this.#provePublic(url);
    const components = this.#isWithdrawal ? [] : edit.changes.map(({ component }) => component);
    const gone = this.#isWithdrawal ? edit.changes.map(({ component }) => component.uri) : [];
    const patienceMs = 1000 * Number(flags.wait ?? PATIENCE_S);
    const signal = terminal.interrupted();
    const expected = {
      document: url,
      etag: this.#etag,
      components,
      gone,
      fetch,
      clock: systemClock,
      patienceMs,
      signal,
    };
    const nodes = await Promise.all(
      (wordsOf(flags.node) ?? []).map(async (node): Promise<Listed> => {
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
    const { flags, terminal } = this.#parts;
    if (words !== '') this.#say(`\n${words}`);
    if (flags.json) terminal.say(JSON.stringify({ ...this.#result, exitCode: code }, null, 2));
    return code;
  }

  /** Nodes read as everybody does: a document that only its owner can read is listed by nobody. */
  async #provePublic(url: string): Promise<void> {
    const { flags, fetch } = this.#parts;
    const form = await publicForm(url, fetch);
    this.#etag = form.etag;
    if (form.status === 200) return;
    const isPrivate = form.status === 401 || form.status === 403;
    if (!isPrivate || !this.#access)
      throw new Error(
        `${url} answers ${form.status} to others, so no node can list it: ${mendOfStatus(form.status)}`,
      );
    if (!flags.public)
      throw new Error(
        `${url} is written, but only you can read it: --public lets everybody read this document`,
      );
    await makePublic(url, form, fetch, await this.#access.credentials());
    this.#say('everybody may read it now');
    this.#etag = (await publicForm(url, fetch)).etag;
  }

  #say(text: string): void {
    if (!this.#parts.flags.json) this.#parts.terminal.say(text);
  }
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
