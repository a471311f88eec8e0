import { HostError } from '../../host/host-error.js';
import { kindOf, type ResourceKind } from '../../host/shapes.js';
import { say } from '../browser/element.js';
import { BLANK, startFrames } from '../browser/live-frames.js';

/** Characters of the parameters that the page is asked for with. */
const LONGEST = 8000;

/**
 * On the page /data: reads the visitor's data here, in the browser, and asks for the page with the names of the shapes and
 * properties it has.
 */
const place = document.getElementById('reading');
if (place) await readFromWeb(place.dataset.url ?? '');
else {
  let blank = 0;
  document.addEventListener(BLANK, () => {
    blank += 1;
    say(
      'blank',
      `${blank} of them ${blank === 1 ? 'shows' : 'show'} nothing of it here, and ${blank === 1 ? 'is' : 'are'} last.`,
    );
  });
  startFrames();
}

async function readFromWeb(url: string): Promise<void> {
  say('progress', `Your browser reads ${url} …`);
  const kind = await readKind(url);
  if (kind) location.replace(`${location.pathname}?${parametersOf(url, kind)}`);
}

/** Undefined where nothing is known; why stands on the page then. */
async function readKind(url: string): Promise<ResourceKind | undefined> {
  try {
    const kind = await kindOf(url, {});
    if (kind.quads ? kind.quads.length > 0 : kind.shapes.length > 0 || kind.mediaType !== '') return kind;
    complain('It was read, and says nothing.');
  } catch (error) {
    complain(`It could not be read: ${error instanceof HostError ? error.message : String(error)}.`);
  }
  return undefined;
}

/** The first shapes are the telling ones; the node answers to addresses of a bounded length only. */
function parametersOf(url: string, { shapes, predicates, mediaType }: ResourceKind): URLSearchParams {
  const parameters = new URLSearchParams({ url, ...(mediaType && { type: mediaType }) });
  for (const [name, iris] of Object.entries({ shapes, predicates })) {
    for (const iri of iris)
      if (String(parameters).length + encodeURIComponent(iri).length < LONGEST) parameters.append(name, iri);
  }
  return parameters;
}

function complain(text: string): void {
  say('progress', text, true);
}
