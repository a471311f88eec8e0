import { rootPath } from '../../http/paths.js';
import { separated } from './fragments.js';
import type { Markup } from './page.js';
import type { NodeView } from './view.js';

/** A button that has this node read a source or a document again now: a hint, as programs send it. It works without scripts. */
export function hintForm(url: string, baseUrl: string): Markup {
  return (
    <form class="again" action={`${rootPath(baseUrl)}/hint`} method="post">
      <input type="hidden" name="topic" value={url} />
      <button type="submit" class="second">
        Read it again now
      </button>
    </form>
  );
}

interface DataFormProps {
  readonly node: NodeView;
  readonly label: string;
  readonly url?: string;
}

/** Asks which component renders the data at a URL; where the node lists samples, with data to ask it about by one click. */
export function DataForm({ node: { baseUrl, sampleData = [] }, label, url = '' }: DataFormProps) {
  const path = `${rootPath(baseUrl)}/data`;
  const samples = sampleData.map((sample) => (
    <a href={`${path}?${new URLSearchParams({ url: sample })}`}>
      {new URL(sample).pathname.split('/').at(-1)}
    </a>
  ));
  return (
    <form class="question" action={path} method="get">
      <label for="url">{label}</label>
      <div>
        <UrlInput name="url" value={url} describedBy="url-hint" />
        <button type="submit">What renders it?</button>
      </div>
      <p class="hint" id="url-hint">
        The URL of a profile, a list, a recipe … Your browser reads it, this node does not.
        {url === '' && samples.length > 0 && <> Or try a sample: {separated(samples)}.</>}
      </p>
    </form>
  );
}

interface UrlInputProps {
  readonly name: string;
  readonly value: string;
  readonly describedBy?: string;
}

export function UrlInput({ name, value, describedBy }: UrlInputProps) {
  return (
    <input
      id={name}
      name={name}
      type="url"
      required
      value={value}
      aria-describedby={describedBy}
      placeholder="https://…"
      autocomplete="url"
      spellcheck={false}
    />
  );
}
