import { byId, element, say, wordsOf } from '../browser/element.js';
import { ask, showAnew, signIn } from '../browser/live.js';

// On the page /network: takes the operator's token, and sends what the buttons name that the page has for it.
const [form, desk, fault] = [byId<HTMLFormElement>('sign-in'), byId('desk'), byId('sign-in-fault')];

form.hidden = false;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  fault.textContent = '';
  try {
    await signIn(byId<HTMLInputElement>('token').value.trim());
  } catch (error) {
    fault.textContent = wordsOf(error);
    return;
  }
  form.reset();
  form.hidden = true;
  say('desk', 'You are signed in: beside what you can decide, there are buttons now.');
  desk.focus();
});

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest('main button');
  if (button instanceof HTMLButtonElement && button.dataset.path) void act(button);
});

/** What goes wrong is said beside the button, which is not pressed twice meanwhile. */
async function act(button: HTMLButtonElement): Promise<void> {
  const { method = 'POST', path = '', body } = button.dataset;
  const section = button.closest('section');
  for (const said of section?.querySelectorAll('.done') ?? []) said.remove();
  button.disabled = true;
  let words = '';
  try {
    words = failureIn(await ask(path, { method, ...(body && { body }) }));
    await showAnew();
  } catch (error) {
    words = wordsOf(error);
  }
  button.disabled = false;
  if (words !== '' && button.isConnected)
    button.after(element('span', { class: 'done', role: 'status' }, ` ${words}`));
  else {
    // The button may have gone with what was decided: that is said where its list begins.
    const done = words === '' ? `Done: ${button.ariaLabel}` : words;
    const note = element('p', { class: 'done hint', role: 'status', tabindex: '-1' }, done);
    section?.querySelector('h2')?.after(note);
    if (document.activeElement === document.body) note.focus();
  }
}

/** `/sync` answers also when a source could not be read. */
function failureIn(answer: string): string {
  if (answer === '') return '';
  const reports = JSON.parse(answer) as readonly { ok: boolean; url: string; error?: string }[];
  const failed = reports.find(({ ok }) => !ok);
  return failed ? `${failed.url} could not be read: ${failed.error}.` : '';
}
