/* One run, live: its progress, its curves, its net at play, the games it was tested with. */

import { button, clear, el, setText } from "../../dom.js";
import { useKeys } from "../../keys.js";
import { confirmed, notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { jobPlace } from "../shared/job_place.js";
import { charts } from "./chart.js";
import { testGames } from "./games.js";
import { watchNet } from "./watch.js";
import { runAbout, runPill, runProgress, runScores, settingText } from "./words.js";

const FILES = [
  ["metrics.jsonl", "Metrics (JSON lines)"],
  ["net.safetensors", "Net (safetensors)"],
  ["games.jsonl", "Games of its tests (JSON lines)"],
  ["settings.json", "Settings (JSON)"],
];

export async function showRun(root, { id, more, connection, catalog, join }) {
  const path = `/api/runs/${encodeURIComponent(id)}`;
  const first = await ask(path);
  const owner = join?.owner !== false;
  const pill = el("span");
  const about = el("p", { "data-testid": "run-about" });
  const progress = el("p", { "data-testid": "run-progress", role: "status" });
  const bar = el("progress", { class: "job-bar", max: 1, "aria-label": "Progress" });
  const scores = el("div", { class: "stack-small", "data-testid": "run-scores" });
  const fault = el("p", { class: "problem", role: "alert" });
  const hint = el("p", { class: "note" });
  const waiting = el("p", { class: "note", "data-testid": "no-figures" });
  const picture = charts();
  const address = (rest) => history.replaceState(null, "", `#/train/${encodeURIComponent(id)}${rest ? `/${rest}` : ""}`);
  const watch = watchNet(first.run, { connection, catalog, chosen: (game) => address(game && `watch-${game}`) });
  const games = testGames(id, { connection, catalog, chosen: (number, ply) => address(`game-${number}.${ply}`) });
  const job = jobPlace("How it was trained", { connection, join });
  const remove = button("Delete this run", () => discard(), { class: "button-danger", testid: "delete-run" });

  root.append(
    el(
      "div",
      { class: "row row-apart page-head" },
      el("h1", { "data-testid": "run-title" }, first.run.name),
      el("div", { class: "row no-print" }, saveMenu(), el("a", { class: "button", href: "#/train" }, "All runs")),
    ),
    el(
      "div",
      { class: "train-parts" },
      el(
        "div",
        { class: "train-top" },
        el("section", { class: "card stack-small", "aria-label": "This run" }, el("div", { class: "row row-apart" }, about, pill), bar, progress, scores, fault, hint),
        job.node,
      ),
      el("section", { class: "stack", "aria-labelledby": "curves-head" }, el("h2", { id: "curves-head" }, "How it learns"), waiting, picture.node),
      watch.node,
      games.node,
      el(
        "details",
        { class: "card" },
        el("summary", {}, "Settings"),
        el("div", { class: "stack" }, settingsTable(first), owner && first.folder && el("p", { class: "note" }, `Its folder: ${first.folder}`), owner && el("div", { class: "row no-print" }, remove)),
      ),
    ),
  );
  useKeys(games.keys);

  function saveMenu() {
    const theme = document.documentElement.dataset.theme;
    const files = FILES.filter(([file]) => owner || file !== "settings.json");
    const links = [...files.map(([file, label]) => [`${path}/${file}`, label, `${id}-${file}`]), [`${path}/chart.svg?theme=${theme}`, "Picture of the curves (SVG)", `${id}.svg`]];
    return el(
      "details",
      { class: "menu", "data-testid": "run-save" },
      el("summary", { class: "button" }, "Save"),
      el("div", { class: "menu-box card" }, el("ul", { class: "plain-list" }, links.map(([href, label, download]) => el("li", {}, el("a", { class: "button button-plain", href, download }, label))))),
    );
  }

  function take(message) {
    const { run, chart } = message;
    clear(pill, runPill(run));
    setText(about, runAbout(run));
    setText(progress, runProgress(run));
    bar.value = run.of ? run.iterations / run.of : 0;
    const lines = runScores(run);
    if (scores.dataset.lines !== lines.join()) {
      scores.dataset.lines = lines.join();
      clear(scores, lines.map((text) => el("p", {}, text)));
    }
    setText(fault, run.fault ?? "");
    setText(hint, hintText(run));
    hint.hidden = !hint.textContent;
    const none = !chart.figures.length;
    waiting.hidden = !none;
    setText(waiting, run.state === "running" || run.state === "waiting" ? "The first iteration is running: figures appear when it is finished." : "No iteration is finished yet.");
    picture.show(chart);
    watch.node.hidden = !(run.net || run.state === "running" || run.state === "waiting");
    watch.show(run);
    remove.disabled = run.state === "running" || run.state === "waiting";
    job.show(run.job);
    games.refresh().catch(() => {});
  }

  function hintText(run) {
    if (run.state !== "stopped" || run.job || !first.folder) return "";
    return `This run was stopped. To continue it on the command line: playproof train --resume --out ${first.folder}`;
  }

  async function discard() {
    if (!(await confirmed(`Delete the run ${first.run.name} with its nets and games for good?`, "Delete"))) return;
    try {
      await ask(`${path}/delete`, {});
      location.hash = "#/train";
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  take(first);
  const [, kind, rest] = /^(watch|game)-(.+)$/.exec(more) ?? [];
  if (kind === "watch") await watch.join(rest);
  if (kind === "game") {
    const [number, ply] = rest.split(".").map(Number);
    await games.open(number, ply || 0);
  }
  const unwatch = connection.watch(`run:${id}`, take, (trouble) => setText(fault, trouble.message));
  return () => {
    unwatch();
    job.stop();
    picture.stop();
    watch.stop();
  };
}

function settingsTable({ run, settings }) {
  const rows = [["preset", run.preset], ...Object.entries(settings).map(([name, value]) => [name.replaceAll("_", " "), settingText(value)])];
  return el(
    "div",
    { class: "wide-table", tabindex: "0", role: "region", "aria-label": "Settings" },
    el("table", {}, el("tbody", {}, rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value))))),
  );
}
