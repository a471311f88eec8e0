/** The style sheet of the invite pages, light and dark. The content security policy of the pages allows its hash only. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --text: #1c2128; --faint: #57606a; --line: #d0d7de;
  --field: #8c959f; --accent: #0b5cad; --on-accent: #fff; --bad: #b42318; --good: #1a7f37; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f1318; --card: #181d24; --text: #e6eaef; --faint: #a3adb8; --line: #343c46;
    --field: #6b7683; --accent: #6cb2ff; --on-accent: #08213d; --bad: #ff8f85; --good: #5fd07f; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
main { width: 100%; max-width: 34rem; padding: clamp(1.25rem, 5vw, 2.25rem); background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
p { margin: .5rem 0; text-wrap: pretty; }
main > :last-child { margin-bottom: 0; }
.faint, .hint { color: var(--faint); font-size: .9rem; }
dl { margin: 1.25rem 0; padding: .25rem 0; border-block: 1px solid var(--line); }
dl div { padding: .5rem 0; }
dt { color: var(--faint); font-size: .85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
label { display: block; font-weight: 600; }
.hint { margin: .15rem 0 .5rem; }
input { width: 100%; padding: .6rem .75rem; color: inherit; background: transparent; font: inherit;
  border: 1px solid var(--field); border-radius: .4rem; }
input[aria-invalid] { border-color: var(--bad); }
.fault { color: var(--bad); font-weight: 600; }
button { margin-top: 1rem; width: 100%; padding: .7rem 1rem; color: var(--on-accent); background: var(--accent);
  font: inherit; font-weight: 600; border: 0; border-radius: .4rem; cursor: pointer; }
button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.done { color: var(--good); }
@media (forced-colors: active) { button { border: 1px solid; } }
`;
