import { Parser, type Quad } from 'n3';
import { cleanup } from './cleanup.js';
import { LDES_CLIENT_DIR } from './install-packages.js';
import { type Started, startCommand } from './run-program.js';
import { tempDir } from './temp-dir.js';

const AS = 'https://www.w3.org/ns/activitystreams#';
const DCT = 'http://purl.org/dc/terms/';
const VOC = 'http://semcom.digita.ai/voc#';

/** A member of the stream as the client prints it. */
export interface PrintedMember {
  readonly type: string;
  /** The component that it is about. */
  readonly uri: string;
  /** What it is a version of. */
  readonly versionOf: string;
  /** In the order of commits. */
  readonly position: number;
  /** The document that says it. */
  readonly source: string;
  /** Of the component; empty for a removal. */
  readonly label: string;
  /** What stands in the graph of its name. */
  readonly payload: readonly Quad[];
}

/** The program that `npx ldes-client <url>` runs. */
export class LdesClient {
  readonly #run: Started;
  readonly #printed = new Map<string, Quad[]>();
  /** What they say; again when more of one has been printed. */
  readonly #members = new Map<string, PrintedMember>();
  /** Characters of the output that have been read. */
  #read = 0;

  private constructor(run: Started) {
    this.#run = run;
  }

  static async start(url: string, ...options: readonly string[]): Promise<LdesClient> {
    const bin = `${LDES_CLIENT_DIR}node_modules/.bin/ldes-client`;
    // It keeps what it has seen in the folder for temporary files.
    const env = { TMPDIR: await tempDir() };
    const run = startCommand([process.execPath, bin, url, ...options], { env, cwd: LDES_CLIENT_DIR });
    cleanup(() => {
      run.child.kill();
      return run.exit;
    });
    return new LdesClient(run);
  }

  /** What it has complained of. */
  get complaints(): string[] {
    return this.#run
      .said()
      .split('\n')
      .filter((line) => /error/i.test(line) && !/^[<_]/.test(line));
  }

  /** The members that it has printed whole so far. */
  members(): PrintedMember[] {
    this.#readLines();
    for (const [name, quads] of this.#printed)
      if (!this.#members.has(name)) this.#members.set(name, printedMember(quads));
    return [...this.#members.values()].filter(isWhole);
  }

  #readLines(): void {
    const output = this.#run.said();
    const end = output.lastIndexOf('\n') + 1;
    const lines = output.slice(this.#read, end).split('\n');
    this.#read = end;
    const isQuad = (line: string) => /^[<_]/.test(line);
    for (const quad of new Parser().parse(lines.filter(isQuad).join('\n'))) {
      const member = quad.graph.value === '' ? quad.subject.value : quad.graph.value;
      const known = this.#printed.get(member);
      this.#members.delete(member);
      if (known) known.push(quad);
      else this.#printed.set(member, [quad]);
    }
  }
}

function printedMember(quads: readonly Quad[]): PrintedMember {
  const value = (predicate: string) =>
    quads.find((quad) => quad.predicate.value === predicate)?.object.value ?? '';
  const type = quads.find(({ object }) => object.value.startsWith(AS))?.object.value.slice(AS.length) ?? '';
  return {
    type,
    uri: value(`${AS}object`),
    versionOf: value(`${DCT}isVersionOf`),
    position: Number(value(`${VOC}position`)),
    source: value(`${DCT}source`),
    label: value(`${VOC}label`),
    payload: quads.filter(({ graph }) => graph.value !== ''),
  };
}

/** A removal says nothing more; everything else has a label. */
function isWhole({ type, source, label }: PrintedMember): boolean {
  return type === 'Delete' ? source !== '' : label !== '';
}
