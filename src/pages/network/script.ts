import { byId, element, say, wordsOf } from '../browser/element.js';
import { ask, showAnew, signIn } from '../browser/live.js';

// On the page /network: takes the operator's token, and sends what the buttons name that the page has for it.
const [form, desk, fault] = [byId<HTMLFormElement>('sign-in'), byId('desk'), byId('sign-in-fault')];
const rehearsed = byId<HTMLInputElement>('rehearse-url');

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
  desk.hidden = false;
  desk.focus();
});
byId('sign-out').addEventListener('click', () => location.reload());

byId('rehearse').addEventListener('submit', async (event) => {
  event.preventDefault();
  say('rehearse-said', 'One moment …');
  try {
    const place = byId('rehearsal');
    place.textContent = await send(
      'POST',
      '/rehearse',
      JSON.stringify({ url: rehearsed.value.trim() }),
      'text/plain',
    );
    place.hidden = false;
    say('rehearse-said', '');
  } catch (error) {
    say('rehearse-said', wordsOf(error));
  }
});

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest<HTMLButtonElement>('main button');
  if (!button) return;
  if (button.dataset.path) void act(button);
  if (button.dataset.rehearse) {
    rehearsed.value = button.dataset.rehearse;
    byId<HTMLFormElement>('rehearse').requestSubmit();
    byId('rehearse').scrollIntoView();
  }
});

/** What goes wrong is said beside the button, which is not pressed twice meanwhile. */
async function act(button: HTMLButtonElement): Promise<void> {
  const { method = 'POST', path = '', body } = button.dataset;
  button.disabled = true;
  let words = '';
  try {
    words = failureIn(await send(method, path, body));
    await showAnew();
  } catch (error) {
    words = wordsOf(error);
  }
  button.disabled = false;
  if (words !== '' && button.isConnected) {
    const said = element('span', { role: 'status' }, ` ${words}`);
    button.after(said);
  } else say('state', words);
  if (document.activeElement === document.body) desk.focus();
}

function send(method: string, path: string, body?: string, accept?: string): Promise<string> {
  return ask(`${document.body.dataset.root}${path}`, { method, ...(body && { body }) }, accept);
}

/** `/sync` answers also when a source could not be read. */
function failureIn(answer: string): string {
  if (answer === '') return '';
  const reports = JSON.parse(answer) as readonly { ok: boolean; url: string; error?: string }[];
  const failed = reports.find(({ ok }) => !ok);
  return failed ? `${failed.url} could not be read: ${failed.error}.` : '';
}
