import type { Match } from './component-metadata.js';
import { HostError } from './host-error.js';
import { openings } from './invocation/open-with.js';
import { wayOf } from './invocation/way.js';
import { type Listening, RegistryClient } from './registry-client.js';
import { reserve, type Shown, type ShowOptions, showIn, showLinks } from './show-component.js';

/** Where to show it, and whom to listen to: what nobody answers for is not offered unless `trust` is `any`, and then in a frame. */
export interface ShowResourceOptions extends ShowOptions, Listening {
  /** URLs of registry nodes, the preferred one first, or a client of your own. Calls with the same URLs share a client. */
  readonly registry: readonly string[] | RegistryClient;
}

/** How many components are tried, one after the other, when the best ones cannot be loaded. */
const TRIES = 5;

const clients = new Map<string, RegistryClient>();

/**
 * Shows a resource: finds the best component for it, and shows it as `showComponent` does. When that component cannot be
 * loaded or shows nothing, the next best is taken. Where there are only applications to open the resource with, links to
 * them are shown.
 *
 * @param resource URL of the data; a relative one is resolved against the page
 * @returns undefined when no component that is trusted is known for the shapes of the resource; the place stays as it is then
 * @throws HostError when the resource cannot be read, no registry node answers, or no component can be loaded; the place
 * stays as it is
 */
export async function showResource(
  resource: string,
  options: ShowResourceOptions,
): Promise<Shown | undefined> {
  const turn = reserve(options.into);
  const matches = await clientFor(options.registry).match(resource, options);
  const links = openings(matches, resource);
  const failures: HostError[] = [];
  const purposeOf = ({ shown: shapes }: Match) => ({ shapes, action: options.action });
  const runnable = matches.filter((match) => wayOf(match, purposeOf(match)));
  for (const match of runnable.slice(0, TRIES)) {
    try {
      const shown = await showIn(turn, match, resource, options, purposeOf(match));
      return { ...shown, match, openWith: links };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      failures.push(error);
      console.warn(`${match.label} cannot be shown:`, error.message);
    }
  }
  if (links.length > 0) return showLinks(turn, matches, resource);
  if (failures.length > 0) throw noneCanBeShown(resource, matches.length, failures);
  return undefined;
}

function clientFor(registry: ShowResourceOptions['registry']): RegistryClient {
  if (registry instanceof RegistryClient) return registry;
  const key = registry.join(' ');
  const client = clients.get(key) ?? new RegistryClient({ nodes: registry });
  clients.set(key, client);
  return client;
}

function noneCanBeShown(resource: string, count: number, failures: readonly HostError[]): HostError {
  const why = failures.map(({ message }) => message).join('; ');
  const tried = `tried ${failures.length} of ${count}`;
  return new HostError('module', `no component for ${resource} can be loaded (${tried}): ${why}`, {
    cause: failures[0],
  });
}
