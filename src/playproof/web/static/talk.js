/* One WebSocket to the lab: messages out, states in, and a line that mends itself.

   talk.send(message) gives a Promise of the answer with the same rid; it is refused with
   a Trouble (code, message) where the server says "error".  Events, each with the message
   as `detail`: "state", "think", "error", "up", "down".  After a broken line the game is
   joined again, at the ply that was being looked at.

   talk.watch("jobs", hear) hears what changes until the function it gives back is called.
   A message with `fresh` is the whole: it comes first, and again after a broken line. */

import { isCompiling, startWaiting } from "./waiting.js";

const WAITS = [250, 500, 1000, 2000, 4000, 8000]; // milliseconds between attempts
const PATIENCE = 30000; // milliseconds until an unanswered message counts as lost
const HEARTBEAT = 20000;
const BUSY = 5000; // milliseconds until what could not be looked at is asked for again

/** What the server (or the line) said no to: `code` as in the contract, one plain line. */
export class Trouble extends Error {
  constructor(code, msg) {
    super(msg);
    this.code = code;
  }
}

export class Talk extends EventTarget {
  /** `open` makes the socket; tests put another one there. */
  constructor(open = () => new WebSocket(address())) {
    super();
    this.open = open;
    this.socket = null;
    this.state = null; // the latest state of the game we are in
    this.game = null; // the id to join again
    this.up = false;
    this.waiting = new Map(); // rid -> {resolve, reject, timer, keep}
    this.count = 0;
    this.tries = 0;
    this.wanted = false;
    this.unsent = [];
    this.watched = new Map(); // topic -> Set of {hear, onTrouble}
    this.endThinking = null; // while an agent is at its move
  }

  /** Starts the line; later calls do nothing. */
  connect() {
    if (this.wanted) return;
    this.wanted = true;
    this.#dial();
    this.beat = setInterval(() => {
      if (this.up) this.#write({ type: "ping" });
    }, HEARTBEAT);
  }

  close() {
    this.wanted = false;
    clearInterval(this.beat);
    clearTimeout(this.retry);
    this.socket?.close();
  }

  /** Leaves the game: others see that, and states that still arrive for it are dropped. */
  leave() {
    if (this.game && this.up) this.#write({ type: "leave" });
    this.state = null;
    this.game = null;
    this.#seeThinking(false);
  }

  /** Sends a message and waits for its answer.

      `quiet`: an error is told to the caller alone, not to everyone who listens.
      A `think` is answered many times: `onThink` sees each, the Promise the last. */
  send(message, { quiet = false, onThink = null } = {}) {
    const rid = message.rid ?? `r${++this.count}`;
    const whole = { ...message, rid };
    const thinks = message.type === "think" || message.type === "hint";
    return new Promise((resolve, reject) => {
      const timer = thinks ? null : setTimeout(() => this.#giveUp(rid), PATIENCE);
      const end = startWaiting({ quiet: thinks });
      this.waiting.set(rid, { resolve, reject, timer, quiet, onThink, thinks, end });
      if (this.up) this.#write(whole);
      else this.unsent.push(whole);
    });
  }

  /** Hears the messages of a topic, such as "job:ID"; `onTrouble` if there is no such thing
      (any more).  Gives back a function that ends it. */
  watch(topic, hear, onTrouble = null) {
    const one = { hear, onTrouble };
    const others = this.watched.get(topic) ?? new Set();
    this.watched.set(topic, others.add(one));
    if (this.up) this.#write({ type: "watch", topic }); // if watched already, to hear it whole
    return () => {
      others.delete(one);
      if (others.size || this.watched.get(topic) !== others) return;
      this.watched.delete(topic);
      if (this.up) this.#write({ type: "unwatch", topic });
    };
  }

  #dial() {
    const socket = this.open();
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.up = true;
      this.tries = 0;
      if (this.game) this.#rejoin();
      for (const topic of this.watched.keys()) this.#write({ type: "watch", topic });
      for (const message of this.unsent.splice(0)) this.#write(message);
      this.#tell("up", {});
    });
    socket.addEventListener("message", (event) => this.#hear(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      const was = this.up;
      this.up = false;
      for (const rid of [...this.waiting.keys()]) {
        const unsent = this.unsent.some((message) => message.rid === rid);
        if (!unsent) this.#refuse(rid, new Trouble("down", "The line to the lab broke."));
      }
      if (was || this.tries === 0) this.#tell("down", { code: event.code });
      if (!this.wanted) return;
      const wait = WAITS[Math.min(this.tries++, WAITS.length - 1)];
      this.retry = setTimeout(() => this.#dial(), wait * (0.75 + Math.random() / 2));
    });
    socket.addEventListener("error", () => {}); // "close" follows and does the work
  }

  #rejoin() {
    const { state } = this;
    this.#write({ type: "join", id: this.game, rid: `again${++this.count}` });
    const ply = state && state.ply < state.of ? state.ply : "last";
    if (state?.line) this.#write({ type: "line", line: state.line, rid: `again${++this.count}` });
    if (ply !== "last") this.#write({ type: "goto", ply, rid: `again${++this.count}` });
  }

  #write(message) {
    if (message.type === "join") this.game = message.id;
    this.socket.send(JSON.stringify(message));
  }

  #hear(message) {
    if (message.topic !== undefined) return this.#hearTopic(message);
    const one = this.waiting.get(message.rid);
    if (message.type === "state") {
      if (!one && this.game !== message.id) return; // a late word about a game that was left
      this.game = message.id;
      this.state = message;
      this.#seeThinking(message.thinking);
    }
    if (message.type === "error") {
      this.#refuse(message.rid, new Trouble(message.code, message.msg));
      if (!one?.quiet) this.#tell("error", message);
      return;
    }
    if (message.type === "think") {
      one?.onThink?.(message);
      this.#tell("think", message);
      if (one && message.done) this.#settle(message.rid, message);
      return;
    }
    if (one) this.#settle(message.rid, message);
    if (message.type === "state") this.#tell("state", message);
  }

  #hearTopic(message) {
    const those = [...(this.watched.get(message.topic) ?? [])];
    if (message.type === "error" && message.code === "busy") {
      setTimeout(() => this.#watchAgain(message.topic), BUSY);
    } else if (message.type === "error") {
      this.watched.delete(message.topic);
      const trouble = new Trouble(message.code, message.msg);
      for (const one of those) one.onTrouble?.(trouble);
    } else if (message.type !== "watching" && message.type !== "unwatching") {
      for (const one of those) one.hear(message);
    }
  }

  /** What could not be looked at just now; whoever has left the page does not ask again. */
  #watchAgain(topic) {
    if (this.up && this.watched.has(topic)) this.#write({ type: "watch", topic });
  }

  #settle(rid, message) {
    this.#done(rid).resolve(message);
  }

  /** No answer for long: lost, unless what it needs is still being compiled. */
  #giveUp(rid) {
    const one = this.waiting.get(rid);
    if (isCompiling()) one.timer = setTimeout(() => this.#giveUp(rid), PATIENCE);
    else this.#refuse(rid, new Trouble("lost", "The lab did not answer. Is it still running?"));
  }

  #done(rid) {
    const one = this.waiting.get(rid);
    clearTimeout(one.timer);
    one.end();
    this.waiting.delete(rid);
    return one;
  }

  /** An agent's move may wait for its search to be compiled. */
  #seeThinking(thinking) {
    if (Boolean(this.endThinking) === Boolean(thinking)) return;
    this.endThinking?.();
    this.endThinking = thinking ? startWaiting({ quiet: true }) : null;
  }

  #refuse(rid, trouble) {
    this.unsent = this.unsent.filter((message) => message.rid !== rid); // told as lost, so not sent late
    if (this.waiting.has(rid)) this.#done(rid).reject(trouble);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function address() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${location.host}/ws`;
}

/** The games that a text holds, or those that it may be of. */
export function contentsOf(text, game) {
  return ask(`/api/contents?${new URLSearchParams({ game })}`, new Blob([text], { type: "text/plain" }));
}

/** GET or POST to the server's HTTP side; refused with a Trouble where it says no. */
export async function ask(path, body = null) {
  const plain = body === null || body instanceof Blob;
  const end = startWaiting();
  let answer, data;
  try {
    answer = await fetch(path, {
      method: body === null ? "GET" : "POST",
      headers: plain ? {} : { "Content-Type": "application/json" },
      body: plain ? body : JSON.stringify(body),
      credentials: "same-origin",
    });
    data = await answer.json().catch(() => ({}));
  } catch {
    throw new Trouble("down", "The lab does not answer. Is it still running?");
  } finally {
    end();
  }
  if (!answer.ok) throw new Trouble(data.code ?? "bad", data.msg ?? `The lab answered ${answer.status}.`);
  return data;
}
