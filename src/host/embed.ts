import type { ComponentMetadata } from './component-metadata.js';
import { HostError } from './host-error.js';
import { RegistryClient } from './registry-client.js';
import { showComponent } from './show-component.js';
import { showResource } from './show-resource.js';

/**
 * `<script type="module" src="https://<node>/embed.js" data-entry="<URL of the data>"></script>` shows the data
 * where it stands, or at the end of a page in whose head it stands, with the best component that the operator of
 * the node answers for; with `data-component` (a uri) with that one, and with `data-integrity` (a digest) only if
 * its module has those bytes. Several such scripts on a page are all served.
 */
const { href } = new URL(import.meta.url);
const node = new URL('.', href).href.replace(/\/$/, '');
const client = new RegistryClient({ nodes: [node] });

for (const script of document.querySelectorAll('script')) {
  if (script.src !== href) continue;
  if (script.dataset.entry) void show(script);
  else console.error('This script shows nothing: its data-entry must name the URL of the data.');
}

async function show(script: HTMLScriptElement): Promise<void> {
  const { entry = '', component: uri, integrity } = script.dataset;
  const into = document.createElement('div');
  // Of a script that is `async`, the page may have no body yet.
  if (!document.body) await new Promise((parsed) => document.addEventListener('DOMContentLoaded', parsed));
  if (script.closest('head')) document.body.append(into);
  else script.after(into);
  try {
    const shown =
      uri === undefined
        ? await showResource(entry, { registry: client, into })
        : await showComponent(await described(uri), entry, { into, integrity });
    if (!shown) into.append('No component is known for this data.');
  } catch (error) {
    console.error(error);
    into.setAttribute('role', 'alert');
    into.append(error instanceof HostError ? error.userMessage : 'This data cannot be shown.');
  }
}

async function described(uri: string): Promise<ComponentMetadata> {
  const [component] = await client.query({ uri });
  if (!component) throw new HostError('request', `${node} has no component ${uri}`);
  return component;
}
