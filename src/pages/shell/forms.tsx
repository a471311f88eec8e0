import type { Child, PropsWithChildren } from 'hono/jsx';
import { link, type Markup, separated } from './fragments.js';
import type { NodeView } from './page.js';

/** A button that has this node read a source or a document again now: a hint, as programs send it. It works without scripts. */
export function hintForm(url: string, { root }: NodeView): Markup {
  return (
    <form class="again" action={`${root}/hint`} method="post">
      <input type="hidden" name="topic" value={url} />
      <button {...{ type: 'submit', class: 'second' }}>Read it again now</button>
    </form>
  );
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

interface FieldProps {
  readonly id: string;
  readonly label: Child;
  readonly hint?: Child;
  /** What is wrong with what stands in it. */
  readonly fault?: string | undefined;
  /** Of the input. */
  readonly input: Attributes;
}

/** A labelled field: its label, its input, and what is said of it, which screen readers read with it. */
function partsOf({ id, label, hint, fault, input }: FieldProps) {
  const named = { fault, hint };
  const about = Object.entries(named).flatMap(([name, words]) => (words ? `${id}-${name}` : []));
  const described = { 'aria-describedby': about.join(' ') || undefined, 'aria-invalid': fault && 'true' };
  return {
    label: <label for={id}>{label}</label>,
    fault: fault && <p {...{ class: 'alert', id: `${id}-fault`, role: 'alert' }}>{fault}.</p>,
    input: <input {...{ id, ...input, ...described }} />,
    hint: hint && <p {...{ class: 'hint', id: `${id}-hint` }}>{hint}</p>,
  };
}

/** One of several fields of a form. */
export function Field(props: FieldProps) {
  const { label, input, hint } = partsOf(props);
  return (
    <div class="field">
      {label}
      {input}
      {hint}
    </div>
  );
}

interface QuestionProps extends Partial<FieldProps> {
  /** Of the form: where it leads, for instance. */
  readonly form: Attributes;
  /** Of the one field; its id, too, unless that is another. */
  readonly name: string;
  readonly type: 'url' | 'text' | 'search' | 'password';
  readonly value?: string | undefined;
  readonly button: string;
  /** What is sent beside it. */
  readonly hidden?: readonly (readonly [name: string, value: string])[];
}

/** A form with one field, and what belongs below it. */
export function Question(props: PropsWithChildren<QuestionProps>) {
  const { form, name, type, value = '', button, hidden = [], children, id = name } = props;
  const isSearch = type === 'search';
  const kind = isSearch ? { class: 'question search', role: 'search' } : { class: 'question' };
  const completed =
    type === 'url' ? { placeholder: 'https://…', autocomplete: 'url' } : { autocomplete: 'off' };
  const given = { name, type, required: !isSearch, value, spellcheck: false, ...completed, ...props.input };
  const parts = partsOf({ ...props, id, label: props.label, input: given });
  return (
    <form {...{ ...kind, ...form }}>
      {parts.label}
      {parts.fault}
      <div>
        {parts.input}
        {hidden.map(([field, sent]) => (
          <input type="hidden" name={field} value={sent} />
        ))}
        <button type="submit">{button}</button>
      </div>
      {parts.hint}
      {children}
    </form>
  );
}

/** What is said of a text that was entered as the URL of data, and is none. */
export const NO_ADDRESS = 'This is no web address: it must begin with https:// or http://';

interface DataFormProps {
  readonly node: NodeView;
  readonly label: string;
  readonly url?: string;
  /** What is wrong with that URL. */
  readonly fault?: string | undefined;
}

/** Asks which component renders the data at a URL; where the node lists samples, with data to ask it about by one click. */
export function DataForm({ node: { root, sampleData = [] }, label, url = '', fault }: DataFormProps) {
  const action = `${root}/data`;
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
  const about = {
    form: { action },
    name: 'url',
    type: 'url',
    value: url,
    button: 'What renders it?',
  } as const;
  return <Question {...{ ...about, label, hint, fault }} />;
}
