/* Invite the class: join code, address and QR code; pupils watch or take a seat. */

import { button, clear, el } from "../../dom.js";
import { notify } from "../../notices.js";
import { guestControls } from "../../owner.js";
import { leadHere } from "../shared/invitation.js";

/** The card; `sit(seat)` claims a seat, `share(on)` lets the class see the game. */
export function inviteClass(join, { sit, share }) {
  const inside = el("div", { class: "stack-small" });
  const node = el(
    "section",
    { class: "card stack-small no-print", "aria-labelledby": "class-head", "data-testid": "class-invite" },
    el("h2", { id: "class-head" }, "Invite the class"),
    inside,
  );

  let shown = null;

  function show(state) {
    // Rebuilt only if something changed, so that the focus is kept.
    const now = JSON.stringify([join?.code, state && [state.id, state.shared, state.seats.map(({ kind, you }) => [kind, you])]]);
    if (now === shown) return;
    shown = now;
    clear(inside, ...(join?.needs_code ? reachable(state) : unreachableText()), ...(state ? chairs(state) : []));
  }

  function unreachableText() {
    return [
      el("p", { "data-testid": "invite-how" }, "Pupils can join from their own devices if the lab is open to your network. Stop it with Ctrl-C in the terminal where you started it, then start it with:"),
      el("p", {}, el("code", {}, "make lab HOST=0.0.0.0")),
      el("p", { class: "note" }, "or, where Playproof is installed, ", el("code", {}, "playproof serve --host 0.0.0.0")),
      el("p", { class: "note" }, "It then shows a join code and a QR code here. No accounts, and nothing leaves your network."),
    ];
  }

  function reachable(state) {
    leadHere(join, state ? `/classroom/${state.id}` : "/classroom");
    const address = link(join, state?.id);
    const line = el("input", { class: "mono", id: "class-link", readonly: true, value: address, onfocus: (event) => event.target.select() });
    return [
      el(
        "p",
        {},
        "Pupils open this address, or scan the code",
        state ? ", to watch this game or take a free seat." : ". Start a game to invite them to it.",
      ),
      join.code && el("p", {}, "Join code: ", el("strong", { class: "mono code", "data-testid": "class-code" }, join.code)),
      el("div", { class: "field" }, el("label", { for: "class-link" }, "Address"), line),
      el("div", { class: "row" }, button("Copy the address", () => copy(address), { testid: "class-copy" }), state && shareBox(state)),
      join.owner && el("img", { class: "qr", src: qr(state, join.code), width: "200", height: "200", alt: "QR code of the address above" }),
      join.code && guestControls(join, () => show(state)),
    ];
  }

  function shareBox(state) {
    const box = el("input", { type: "checkbox", checked: state.shared, onchange: () => share(box.checked), "data-testid": "class-share" });
    return el("label", { class: "check" }, box, "The class can watch");
  }

  function chairs(state) {
    const names = ["Black", "White"];
    return state.seats.flatMap((seat, i) =>
      seat.kind === "open" ? [button(`Take ${names[i]}'s seat`, () => sit(i), { testid: `class-sit-${i}` })] : [],
    );
  }

  return { node, show };
}

/** The QR code depends on the join code. */
function qr(state, code) {
  return state ? `/api/join.svg?game=${state.id}&page=classroom&for=${code}` : `/api/join.svg?for=${code}`;
}

function link(join, id) {
  const base = (join.url ?? location.origin).replace(/[#?].*$/, "").replace(/\/$/, "");
  const to = id ? `/classroom/${id}` : "/classroom";
  return join.code ? `${base}/#code=${join.code}&go=${to}` : `${base}/#${to}`;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied.");
  } catch {
    document.getElementById("class-link").select();
    notify("Press Ctrl+C to copy the selected address.");
  }
}
