/** The look of the page at `/`, light or dark as the reader has it. Its hash stands in the page's policy. */
export const HOME_STYLE = `
:root { color-scheme: light dark; --line: #8884; --faint: #777; --good: #1a7f37; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --faint: #999; --good: #4ac26b; --bad: #ff7b72; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin-top: 2.5rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1rem; }
small, .source { color: var(--faint); font-weight: normal; }
code { font-size: .875em; overflow-wrap: anywhere; }
.components { list-style: none; margin: 0; padding: 0; }
.components li { padding: .75rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.components p { margin: .15rem 0; }
.pages a { margin-right: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); }
tbody th { font-weight: normal; overflow-wrap: anywhere; }
.state { font-weight: 600; }
.serving, .ok { color: var(--good); }
.failing, .stopping { color: var(--bad); }
`;
