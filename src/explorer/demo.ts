import type { DataRequest } from '../host/data-events.js';
import { HostError } from '../host/host-error.js';
import { loadComponent } from '../host/load-component.js';
import { RegistryClient } from '../host/registry-client.js';
import { serveData } from '../host/serve-data.js';
import { solidData } from '../host/solid-data.js';
import { element, wordsOf } from './element.js';
import { logRequest } from './request-log.js';

/**
 * The host application of the page /demo: it asks the node for components that render the data of each stage, and
 * answers what they ask for. It runs in the node's own origin, so it runs the samples alone: the policy of the page
 * allows the node's own files, and nobody can put another script there.
 */
const data = solidData();
const registry = new RegistryClient({ nodes: [location.origin + (document.body.dataset.root ?? '')] });
const stages = [...document.querySelectorAll<HTMLElement>('.stage')];

serveData(document, serve, {
  report: (error, request) => logRequest(request.type, request, `refused: ${wordsOf(error)}`),
});
for (const stage of stages) await show(stage);

async function show(stage: HTMLElement): Promise<void> {
  const { entry = '', component = '' } = stage.dataset;
  try {
    const { origin } = new URL(component);
    // As where a node at localhost is asked by its number.
    if (origin !== location.origin) throw new HostError('request', `open this page at ${origin}`);
    const found = await registry.componentsFor(entry);
    const sample = found.find(({ uri }) => uri === component);
    if (!sample) throw new HostError('request', `this node offers no ${component} for ${entry}`);
    const shown = document.createElement(await loadComponent(sample));
    shown.setAttribute('entry', entry);
    stage.replaceChildren(shown);
  } catch (error) {
    stage.replaceChildren(element('p', { role: 'alert' }, `It cannot be shown: ${wordsOf(error)}`));
  }
}

async function serve(request: DataRequest, signal: AbortSignal): Promise<unknown> {
  const answer = await data(request, signal);
  logRequest(`component-data-${request.action}`, new CustomEvent('', { detail: request }), 'answered');
  if (request.action !== 'read') void refreshOthers(request.uri);
  return answer;
}

/** Shows changed data in the other stages that have it. */
async function refreshOthers(changed: string): Promise<void> {
  const others = stages.filter(
    (stage) => stage.dataset.entry === changed && !stage.contains(document.activeElement),
  );
  for (const stage of others) await show(stage);
}
