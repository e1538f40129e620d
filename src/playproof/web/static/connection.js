/* One WebSocket to the lab: sends messages, receives states, and reconnects by itself.

   connection.send(message) returns a Promise of the answer with the same rid; it rejects with
   a LabError (code, message) if the server answers "error".  Events, each with the message
   as `detail`: "state", "think", "error", "up", "down".  After a reconnection the game is
   joined again at the ply that was shown.

   connection.watch("jobs", onMessage) receives changes until the returned function is called.
   A message with `fresh` has the whole state: it comes first, and again after a reconnection. */

import { isCompiling, startWaiting } from "./waiting.js";

const RETRY_DELAYS = [250, 500, 1000, 2000, 4000, 8000]; // milliseconds between attempts
const ANSWER_TIMEOUT = 30000; // milliseconds until an unanswered message counts as lost
const HEARTBEAT = 20000;
const BUSY_DELAY = 5000; // milliseconds until a busy topic is requested again

/** An error from the server or the connection: the protocol's `code`, and one line of text. */
export class LabError extends Error {
  constructor(code, msg) {
    super(msg);
    this.code = code;
  }
}

export class Connection extends EventTarget {
  /** `open` makes the socket; tests pass their own. */
  constructor(open = () => new WebSocket(address())) {
    super();
    this.open = open;
    this.socket = null;
    this.state = null; // the latest state of the game we are in
    this.game = null; // the id to join again
    this.up = false;
    this.waiting = new Map(); // rid -> {resolve, reject, timer, quiet, onThink, thinks, end}
    this.count = 0;
    this.tries = 0;
    this.active = false;
    this.unsent = [];
    this.watched = new Map(); // topic -> Set of {onMessage, onError}
    this.endThinking = null; // while an agent is at its move
  }

  /** Opens the connection; later calls do nothing. */
  connect() {
    if (this.active) return;
    this.active = true;
    this.#openSocket();
    this.beat = setInterval(() => {
      if (this.up) this.#write({ type: "ping" });
    }, HEARTBEAT);
  }

  close() {
    this.active = false;
    clearInterval(this.beat);
    clearTimeout(this.retry);
    this.socket?.close();
  }

  /** Leaves the game: others see that, and later states of it are ignored. */
  leave() {
    if (this.game && this.up) this.#write({ type: "leave" });
    this.state = null;
    this.game = null;
    this.#trackThinking(false);
  }

  /** Sends a message and waits for its answer.

      `quiet`: an error only rejects the Promise and raises no "error" event.
      A `think` is answered many times: `onThink` gets each answer, the Promise the last. */
  send(message, { quiet = false, onThink = null } = {}) {
    const rid = message.rid ?? `r${++this.count}`;
    const whole = { ...message, rid };
    const thinks = message.type === "think" || message.type === "hint";
    return new Promise((resolve, reject) => {
      const timer = thinks ? null : setTimeout(() => this.#timeOut(rid), ANSWER_TIMEOUT);
      const end = startWaiting({ quiet: thinks });
      this.waiting.set(rid, { resolve, reject, timer, quiet, onThink, thinks, end });
      if (this.up) this.#write(whole);
      else this.unsent.push(whole);
    });
  }

  /** Subscribes to a topic, such as "job:ID"; `onError` is called if it does not exist
      (any more).  Returns a function that ends the subscription. */
  watch(topic, onMessage, onError = null) {
    const one = { onMessage, onError };
    const others = this.watched.get(topic) ?? new Set();
    this.watched.set(topic, others.add(one));
    if (this.up) this.#write({ type: "watch", topic }); // if watched already, to onMessage it whole
    return () => {
      others.delete(one);
      if (others.size || this.watched.get(topic) !== others) return;
      this.watched.delete(topic);
      if (this.up) this.#write({ type: "unwatch", topic });
    };
  }

  #openSocket() {
    const socket = this.open();
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.up = true;
      this.tries = 0;
      if (this.game) this.#rejoin();
      for (const topic of this.watched.keys()) this.#write({ type: "watch", topic });
      for (const message of this.unsent.splice(0)) this.#write(message);
      this.#emit("up", {});
    });
    socket.addEventListener("message", (event) => this.#receive(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      const was = this.up;
      this.up = false;
      for (const rid of [...this.waiting.keys()]) {
        const unsent = this.unsent.some((message) => message.rid === rid);
        if (!unsent) this.#reject(rid, new LabError("down", "The connection to the lab was lost."));
      }
      if (was || this.tries === 0) this.#emit("down", { code: event.code });
      if (!this.active) return;
      const wait = RETRY_DELAYS[Math.min(this.tries++, RETRY_DELAYS.length - 1)];
      this.retry = setTimeout(() => this.#openSocket(), wait * (0.75 + Math.random() / 2));
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

  #receive(message) {
    if (message.topic !== undefined) return this.#receiveTopic(message);
    const one = this.waiting.get(message.rid);
    if (message.type === "state") {
      if (!one && this.game !== message.id) return; // a late state of a game that was left
      this.game = message.id;
      this.state = message;
      this.#trackThinking(message.thinking);
    }
    if (message.type === "error") {
      this.#reject(message.rid, new LabError(message.code, message.msg));
      if (!one?.quiet) this.#emit("error", message);
      return;
    }
    if (message.type === "think") {
      one?.onThink?.(message);
      this.#emit("think", message);
      if (one && message.done) this.#settle(message.rid, message);
      return;
    }
    if (one) this.#settle(message.rid, message);
    if (message.type === "state") this.#emit("state", message);
  }

  #receiveTopic(message) {
    const those = [...(this.watched.get(message.topic) ?? [])];
    if (message.type === "error" && message.code === "busy") {
      setTimeout(() => this.#watchAgain(message.topic), BUSY_DELAY);
    } else if (message.type === "error") {
      this.watched.delete(message.topic);
      const trouble = new LabError(message.code, message.msg);
      for (const one of those) one.onError?.(trouble);
    } else if (message.type !== "watching" && message.type !== "unwatching") {
      for (const one of those) one.onMessage(message);
    }
  }

  /** Requests a busy topic again, unless nobody watches it any more. */
  #watchAgain(topic) {
    if (this.up && this.watched.has(topic)) this.#write({ type: "watch", topic });
  }

  #settle(rid, message) {
    this.#remove(rid).resolve(message);
  }

  /** Gives up on an unanswered message, unless something is still being compiled. */
  #timeOut(rid) {
    const one = this.waiting.get(rid);
    if (isCompiling()) one.timer = setTimeout(() => this.#timeOut(rid), ANSWER_TIMEOUT);
    else this.#reject(rid, new LabError("lost", "The lab did not answer. Is it still running?"));
  }

  #remove(rid) {
    const one = this.waiting.get(rid);
    clearTimeout(one.timer);
    one.end();
    this.waiting.delete(rid);
    return one;
  }

  /** Shows the waiting line during an agent's move, which may wait for compilation. */
  #trackThinking(thinking) {
    if (Boolean(this.endThinking) === Boolean(thinking)) return;
    this.endThinking?.();
    this.endThinking = thinking ? startWaiting({ quiet: true }) : null;
  }

  #reject(rid, trouble) {
    this.unsent = this.unsent.filter((message) => message.rid !== rid); // rejected, so it must not be sent later
    if (this.waiting.has(rid)) this.#remove(rid).reject(trouble);
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function address() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${location.host}/ws`;
}

/** The games in a text, or the games that it may belong to. */
export function contentsOf(text, game) {
  return ask(`/api/contents?${new URLSearchParams({ game })}`, new Blob([text], { type: "text/plain" }));
}

/** Sends GET or POST over HTTP; rejects with a LabError if the server refuses. */
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
    throw new LabError("down", "The lab does not answer. Is it still running?");
  } finally {
    end();
  }
  if (!answer.ok) throw new LabError(data.code ?? "bad", data.msg ?? `The lab answered ${answer.status}.`);
  return data;
}
