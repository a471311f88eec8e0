import { kindOf, type ResourceKind } from '../../host/shapes.js';
import { say, wordsOf } from '../browser/element.js';
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
    const [shows, is] = blank === 1 ? ['shows', 'is'] : ['show', 'are'];
    say('blank', `${blank} of them ${shows} nothing of it here, and ${is} last.`);
  });
  startFrames();
}

async function readFromWeb(url: string): Promise<void> {
  say('progress', `Your browser reads ${url} …`);
  try {
    const kind = await kindOf(url, {});
    const isKnown = kind.quads ? kind.quads.length > 0 : kind.shapes.length > 0 || kind.mediaType !== '';
    if (isKnown) location.replace(`${location.pathname}?${parametersOf(url, kind)}`);
    else say('progress', 'It was read, and says nothing.', true);
  } catch (error) {
    say('progress', `It could not be read: ${wordsOf(error)}.`, true);
  }
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
