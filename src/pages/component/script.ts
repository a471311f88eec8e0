import type { DataRequest } from '../../host/data-events.js';
import { pageFetch } from '../../host/fetching.js';
import { HostError } from '../../host/host-error.js';
import { readIntegrity, verify } from '../../host/integrity.js';
import { showsSomething } from '../../host/invocation/visible.js';
import { moduleBytes } from '../../host/module-source.js';
import { serveData } from '../../host/serve-data.js';
import { showComponent } from '../../host/show-component.js';
import { solidData } from '../../host/solid-data.js';
import { byId, element, wordsOf } from '../browser/element.js';
import type { FrameMessage } from '../browser/frame-message.js';
import { logRequest } from '../browser/request-log.js';

/**
 * The host application in the sandbox: shows one component with one resource, answers its read requests, refuses write
 * requests, and lists all of them on the page.
 */
const { component = '{}', entry = '', promised = '[]' } = document.body.dataset;
const progress = byId('progress');
/** How long a component may show nothing, in ms. */
const PATIENCE = 8_000;

const read = solidData({ timeoutMs: 15_000 });

const report = (error: unknown, request: Event) =>
  logRequest(request.type, request, `refused: ${wordsOf(error)}`);

// When the page hears nothing more, this component hangs, or another one in the same process does.
const sayAlive = () => tell({ about: 'trial', what: 'alive' });
sayAlive();
setInterval(sayAlive, 1_000);

// What a component puts elsewhere on the page may ask, too.
serveData(document, serve, { report });
void tellOfOtherBytes(JSON.parse(component).uri, JSON.parse(promised));
await show();

/**
 * Other pages run nothing but the bytes that were promised. Here the sandbox keeps the component from doing harm, so it is
 * shown nevertheless, and beside it stands that these are others.
 */
async function tellOfOtherBytes(uri: string, integrities: readonly string[]): Promise<void> {
  // Pages from plain http have no digests.
  if (integrities.length === 0 || !globalThis.crypto?.subtle) return;
  try {
    const bytes = await moduleBytes(uri, { fetch: pageFetch, timeoutMs: 15_000 });
    for (const one of integrities) await verify(bytes, readIntegrity(one), uri);
  } catch (error) {
    // Why a module cannot be had is said where it is shown.
    if (!(error instanceof HostError) || error.reason !== 'integrity') return;
    const words =
      'These are not the bytes that were pinned: pages that check them do not run this component.';
    byId('stage').before(element('p', { class: 'alert', role: 'alert' }, words));
  }
}

async function show(): Promise<void> {
  try {
    // In a tab of its own, the component could navigate to any address and send there what it has read.
    if (window.parent === window) throw new Error('it is shown in a frame on a page of its node only');
    const into = byId('stage');
    await showComponent(JSON.parse(component), entry, {
      into,
      handler: serve,
      report,
    });
    if (!(await showsSomething(into, PATIENCE))) throw new Error('it stays blank');
    tell({ about: 'trial', what: 'shown' });
  } catch (error) {
    tell({ about: 'trial', what: 'failed', why: wordsOf(error) });
    progress.setAttribute('role', 'alert');
    progress.textContent = `The component cannot be shown: ${wordsOf(error)}`;
  }
}

async function serve(request: DataRequest, signal: AbortSignal): Promise<unknown> {
  if (request.action !== 'read')
    throw new HostError('request', 'nothing is written while a component is tried');
  const data = await read(request, signal);
  logRequest('component-data-read', new CustomEvent('', { detail: request }), 'answered');
  return data;
}

/** The page around the frame may be one of another node: it is told nothing that it does not see. */
function tell(message: FrameMessage): void {
  parent.postMessage(message, '*');
}
