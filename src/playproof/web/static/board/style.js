// The board's style; its colours are variables of the page.

const CSS = `
:host { display: block; position: relative; color: var(--ink, #1c2126);
  --b-ink: var(--ink, #1c2126); --b-card: var(--card, #ffffff); --b-raised: var(--raised, #eef1f4);
  --b-edge: var(--line, #767f87);
  --b-blue: var(--blue, #0a5fa5); --b-on-blue: var(--blue-ink, #ffffff); }
:host([hidden]), :host([still]) .bar { display: none; }
:host([data-paper="dark"]) { color: var(--ink, #e9ecee);
  --b-ink: var(--ink, #e9ecee); --b-card: var(--card, #1d2226); --b-raised: var(--raised, #2a3137);
  --b-edge: var(--line, #7a858e); --b-blue: var(--blue, #6db4f2); --b-on-blue: var(--blue-ink, #0a1a28); }
.stage { position: relative; }
.picture svg { display: block; width: 100%; height: auto; }
.layer { position: absolute; inset: 0 0 auto; width: 100%; pointer-events: none; }
.points { position: absolute; display: flex; flex-direction: column; touch-action: manipulation; }
.points > div { flex: 1; display: flex; min-height: 0; }
.points span { flex: 1; display: flex; min-width: 0; }
.points button { flex: 1; min-width: 0; margin: 0; padding: 0; border: 0; border-radius: 12%;
  background: none; cursor: pointer; -webkit-tap-highlight-color: transparent; }
.points button[aria-disabled] { cursor: default; }
.points button:focus-visible { outline: 3px solid #e69f00; outline-offset: -2px;
  box-shadow: inset 0 0 0 2px #1c1600, 0 0 0 2px #1c1600; }
.ghost { pointer-events: none; }
.choices { position: absolute; z-index: 2; display: flex; gap: 4px; width: max-content; padding: 6px;
  border-radius: 12px;
  background: var(--b-card); border: 1px solid var(--b-edge); box-shadow: 0 6px 24px #0006;
  transform: translateX(-50%); }
.choices.above { transform: translate(-50%, -100%); }
.choices[hidden] { display: none; }
.choices button { display: flex; flex-direction: column; align-items: center; justify-content: center;
  min-width: 48px; min-height: 48px; padding: 4px; font-size: 0.75rem; }
.choices svg { width: 36px; height: 36px; background: #c9ab84; border-radius: 6px; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; min-height: 60px;
  margin-top: 8px; padding: 8px 10px; box-sizing: border-box; border-radius: 10px;
  background: var(--b-raised); }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; padding: 0; list-style: none; }
.chips[hidden] { display: none; }
.chip { padding: 3px 8px; border-radius: 6px; background: var(--b-blue); color: var(--b-on-blue);
  font-weight: 700; }
.chip small { font-weight: 400; }
.banner { flex: 1 1 6em; display: flex; align-items: center; min-height: 44px; margin: 0;
  font-weight: 700; line-height: 1.25; }
.nudges { display: flex; gap: 4px; }
.nudges:empty { display: none; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; margin-left: auto; }
.bar button, .choices button { min-height: 44px; min-width: 44px; font: inherit; border-radius: 8px;
  border: 1px solid var(--b-edge); background: var(--b-card); color: var(--b-ink); cursor: pointer; }
.bar button { padding: 4px 14px; font-weight: 600; }
.nudges button { padding: 0; }
@media (max-width: 480px) {
  .bar { min-height: 112px; align-content: start; }
  .buttons { flex: 1 0 100%; justify-content: end; }
}
.choices button { font-size: 0.8rem; }
.bar button.main { background: var(--b-blue); border-color: var(--b-blue);
  color: var(--b-on-blue); }
.bar button:hover, .choices button:hover { border-color: var(--b-blue); }
.bar button:focus-visible, .choices button:focus-visible { outline: 3px solid #e69f00;
  outline-offset: 2px; }
.live { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
@keyframes leave { from { opacity: 1; } to { opacity: 0; } }
@keyframes arrive { from { transform: scale(0.4); opacity: 1; } to { transform: scale(1.5); opacity: 0; } }
.leaves { animation: leave 0.8s ease-in both; }
.arrives { animation: arrive 0.8s ease-out both; }
@media (prefers-reduced-motion: reduce) { .leaves, .arrives { animation: none; } }
@media print { .bar, .choices, .points, .layer { display: none; } }
`;

export const sheet = new CSSStyleSheet();
sheet.replaceSync(CSS);
