import type { DataRequest } from '../host/data-events.js';
import { HostError } from '../host/host-error.js';
import { serveData } from '../host/serve-data.js';
import { showComponent } from '../host/show-component.js';
import { solidData } from '../host/solid-data.js';
import { logRequest, wordsOf } from './request-log.js';

/**
 * The host application in the sandbox: shows one component with one resource, answers its read requests, refuses write
 * requests, and lists all of them on the page.
 */
const { component = '{}', entry = '' } = document.body.dataset;
const progress = byId('progress');
const read = solidData({ timeoutMs: 15_000 });

const report = (error: unknown, request: Event) =>
  logRequest(request.type, request, `refused: ${wordsOf(error)}`);

// What a component puts elsewhere on the page may ask, too.
serveData(document, serve, { report });
await show();

async function show(): Promise<void> {
  try {
    // In a tab of its own, the component could navigate to any address and send there what it has read.
    if (window.parent === window) throw new Error('it is tried in the frame on the page /try only');
    await showComponent(JSON.parse(component), entry, { into: byId('stage'), handler: serve, report });
  } catch (error) {
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

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}
