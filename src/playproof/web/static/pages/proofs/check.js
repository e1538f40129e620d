/* Check a certificate: drop it on the page, or choose its file, files or folder. */

import { button, el, setText } from "../../dom.js";
import { LabError } from "../../connection.js";
import { zipped } from "./zip.js";

const MOST = 64 * 2 ** 20; // bytes that the lab accepts
const WANTED = /(^|\/)(statement\.json|formula\.cnf|proof\.drat|manifest\.json|index\.json)$/;

export async function show(root, { join, overview }) {
  const may = join?.owner !== false;
  const why = overview.problem ?? (may ? "" : "Only the owner of the lab can have certificates checked.");
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "check-problem" }, why);
  const busy = el("p", { class: "note", role: "status", "data-testid": "check-busy" });
  const zip = chooser({ accept: ".zip,application/zip", testid: "choose-zip" });
  const files = chooser({ multiple: true, testid: "choose-files" });
  const folder = chooser({ webkitdirectory: true, testid: "choose-folder" });
  const zone = el(
    "div",
    { class: "drop-zone stack-small", "data-testid": "drop-zone" },
    el("p", { class: "drop-words" }, "Drop a certificate here"),
    el("p", { class: "note" }, "A .zip file, the four files, or the folder. It is checked on the machine that serves this page and deleted afterwards."),
    el(
      "div",
      { class: "row drop-buttons" },
      button("Choose a .zip", () => zip.click(), { main: true, testid: "pick-zip" }),
      button("Choose the files", () => files.click(), { testid: "pick-files" }),
      button("Choose the folder", () => folder.click(), { testid: "pick-folder" }),
    ),
    busy,
    zip,
    files,
    folder,
  );
  if (why) for (const control of zone.querySelectorAll("button")) control.disabled = true;

  function chooser({ testid, ...given }) {
    const input = el("input", {
      type: "file",
      hidden: true,
      "data-testid": testid,
      "aria-label": "A certificate",
      onchange: () => {
        const chosen = [...input.files].map((file) => [file.webkitRelativePath || file.name, file]);
        input.value = "";
        take(() => chosen);
      },
      ...given,
    });
    return input;
  }

  async function take(collect) {
    if (why) return;
    problem.textContent = "";
    setText(busy, "Reading …");
    try {
      const job = await send(...(await pack(await collect())), (text) => setText(busy, text));
      location.hash = `#/proofs/${job.id}`;
    } catch (trouble) {
      problem.textContent = trouble.message;
    }
    setText(busy, "");
  }

  // A file dropped outside the zone would otherwise replace the page.
  const guard = (event) => {
    event.preventDefault();
    zone.classList.toggle("drop-over", event.type === "dragover");
    if (event.type === "drop") take(() => dropped(event.dataTransfer));
  };
  const events = ["dragover", "dragleave", "drop"];
  for (const name of events) addEventListener(name, guard);

  root.append(
    el(
      "p",
      { class: "proof-lead" },
      "A certificate is a refutation written down, so that nobody has to trust the solver: a statement, its formula, and a proof that nothing satisfies it. The check takes nothing for granted: it rebuilds the formula, compares it, and goes through the proof step by step.",
    ),
    el("section", { class: "card stack", "aria-label": "Choose a certificate" }, zone, problem),
    el(
      "p",
      { class: "note" },
      "No certificate at hand? ",
      el("a", { href: "#/proofs/run" }, "Run a proof"),
      ", download its certificate, change a byte if you like, and drop it here.",
    ),
  );
  return () => {
    for (const name of events) removeEventListener(name, guard);
  };
}

/** The dropped files, including those in dropped folders: [[path, File]]. */
async function dropped(data) {
  const items = [...data.items].filter((item) => item.kind === "file");
  // The entries must be read before the first await, because the drop ends there.
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const files = [];
  for (const entry of entries) {
    if (entry instanceof File) files.push([entry.name, entry]);
    else if (entry) files.push(...(await filesOf(entry)));
  }
  return files;
}

async function filesOf(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [[entry.fullPath.replace(/^\//, ""), file]];
  }
  const reader = entry.createReader();
  const files = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return files;
    for (const one of some) files.push(...(await filesOf(one)));
  }
}

/** [name, Blob] to send: a zip file as it is, other files packed into one. */
async function pack(files) {
  if (files.length === 1 && /\.zip$/i.test(files[0][0])) return files[0];
  const ours = files.filter(([path]) => WANTED.test(path));
  if (!ours.length) throw new LabError("bad", "This is no certificate: want a .zip file, or statement.json, formula.cnf, proof.drat and manifest.json.");
  const top = ours[0][0].includes("/") ? ours[0][0].split("/")[0] : "certificate";
  return [`${top}.zip`, await zipped(ours)];
}

async function send(name, blob, tell) {
  if (blob.size > MOST) throw new LabError("large", "The certificate is too large: the lab accepts at most 64 MB. Check it with playproof check.");
  tell("Sending …");
  let answer;
  try {
    answer = await fetch(`/api/proofs/check?name=${encodeURIComponent(name)}`, {
      method: "POST",
      headers: { "Content-Type": "application/zip" },
      body: blob,
      credentials: "same-origin",
    });
  } catch {
    throw new LabError("down", "The lab does not answer. Is it still running?");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new LabError(data.code ?? "bad", data.msg ?? `The lab answered ${answer.status}.`);
  return data;
}
