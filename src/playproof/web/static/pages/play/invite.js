/* The card of an open seat: how to invite another person, or how to take it. */

import { button, clear, el } from "../../dom.js";
import { notify } from "../../notices.js";
import { guestControls } from "../../owner.js";
import { leadHere } from "../shared/invitation.js";

const OPEN = "open";
const ALONE =
  "This lab can only be reached from this machine. Start it with --host to let other devices join.";

/** `sit(seat)` claims a seat.  The card is hidden when no seat is open. */
export function inviteCard(join, sit) {
  const inside = el("div", { class: "stack-small" });
  const node = el(
    "section",
    { class: "card stack-small no-print", hidden: true, "aria-labelledby": "invite-head", "data-testid": "invite" },
    el("h2", { id: "invite-head" }, "Open seat"),
    inside,
  );
  let shown = "";

  function show(state) {
    const open = state.seats.flatMap((seat, i) => (seat.kind === OPEN ? [i] : []));
    node.hidden = open.length === 0;
    const mine = state.seats.some((seat) => seat.you);
    const now = `${state.id} ${open} ${mine} ${join.code}`;
    if (now === shown || !open.length) return;
    shown = now;
    clear(inside, mine ? invitation(state.id, join, () => show(state)) : open.map((seat) => sitDown(state, seat)));
  }

  function sitDown(state, seat) {
    return button(`Sit down and play seat ${seat + 1}`, () => sit(seat), { main: true, testid: `sit-${seat}` });
  }

  return { node, show };
}

function invitation(id, join, changed) {
  leadHere(join, `/play/${id}`);
  const base = (join.url ?? location.origin).replace(/[#?].*$/, "").replace(/\/$/, "");
  const address = join.code ? `${base}/#code=${join.code}&go=/play/${id}` : `${base}/#/play/${id}`;
  const line = el("input", {
    class: "mono",
    readonly: true,
    value: address,
    id: "invite-link",
    onfocus: (event) => event.target.select(),
  });
  return [
    el("p", {}, "Ask someone to open this address. The game starts when they take the seat."),
    el("div", { class: "field" }, el("label", { for: "invite-link" }, "Address"), line),
    el("div", { class: "row" }, button("Copy the address", () => copy(address), { testid: "copy" })),
    join.code && el("p", {}, "Join code: ", el("strong", { class: "mono code", "data-testid": "code" }, join.code)),
    join.code &&
      el("img", {
        class: "qr",
        src: `/api/join.svg?game=${id}&for=${join.code}`, // another code is another picture
        width: "220",
        height: "220",
        alt: "QR code of the address above",
      }),
    join.code && guestControls(join, changed),
    !join.needs_code && el("p", { class: "note" }, ALONE),
  ];
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied.");
  } catch {
    document.getElementById("invite-link").select();
    notify("Press Ctrl+C to copy the selected address.");
  }
}
