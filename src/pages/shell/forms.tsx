import type { Child } from 'hono/jsx';
import { rootPath } from '../../http/paths.js';
import { link, separated } from './fragments.js';
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

interface QuestionProps {
  readonly action: string;
  readonly label: string;
  /** Of the one field; its id, too. */
  readonly name: string;
  readonly type: 'url' | 'text' | 'search';
  readonly value?: string;
  readonly placeholder?: string;
  readonly button: string;
  /** What is sent beside it. */
  readonly hidden?: readonly (readonly [name: string, value: string])[];
  readonly hint?: Child;
}

/** A form with one field, which leads to the page of the answer. */
export function Question({ name, type, value = '', hidden = [], hint, ...about }: QuestionProps) {
  const isSearch = type === 'search';
  const role = isSearch ? 'search' : undefined;
  return (
    <form class={isSearch ? 'question search' : 'question'} role={role} action={about.action} method="get">
      <label for={name}>{about.label}</label>
      <div>
        <input
          {...{ id: name, name, type, required: !isSearch, value, spellcheck: false }}
          placeholder={about.placeholder}
          aria-describedby={hint ? `${name}-hint` : undefined}
          autocomplete={type === 'url' ? 'url' : 'off'}
        />
        {hidden.map(([field, sent]) => (
          <input type="hidden" name={field} value={sent} />
        ))}
        <button type="submit">{about.button}</button>
      </div>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </form>
  );
}

/** A question whose answer is a URL. */
export function UrlQuestion(props: Omit<QuestionProps, 'type' | 'placeholder'>) {
  return <Question {...props} type="url" placeholder="https://…" />;
}

interface DataFormProps {
  readonly node: NodeView;
  readonly label: string;
  readonly url?: string;
}

/** Asks which component renders the data at a URL; where the node lists samples, with data to ask it about by one click. */
export function DataForm({ node: { baseUrl, sampleData = [] }, label, url = '' }: DataFormProps) {
  const action = `${rootPath(baseUrl)}/data`;
  const nameOf = (sample: string) => new URL(sample).pathname.split('/').at(-1);
  const samples = sampleData.map((sample) =>
    link(`${action}?${new URLSearchParams({ url: sample })}`, nameOf(sample)),
  );
  const hint = (
    <>
      The URL of a profile, a list, a recipe … Your browser reads it, this node does not.
      {url === '' && samples.length > 0 && <> Or try a sample: {separated(samples)}.</>}
    </>
  );
  return <UrlQuestion {...{ action, label, hint }} name="url" value={url} button="What renders it?" />;
}
