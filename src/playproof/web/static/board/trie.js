// Legal moves as a trie of clicks, and a walk down it.
// A long list is not sent whole (`lazy`): its branches are requested when needed.

class Node {
  constructor(token, kind, parent) {
    this.token = token;
    this.kind = kind; // src, to, rm: the role of the click
    this.parent = parent;
    this.children = new Map();
    this.move = null; // the move that ends here
    this.known = true; // false: its children have not been received
  }

  /** The nodes from the first click to this one. */
  get path() {
    return this.parent ? [...this.parent.path, this] : [];
  }

  get tokens() {
    return this.path.map((node) => node.token);
  }

  /** Whether this click ends a move and cannot start another. */
  get isEnd() {
    return this.move !== null && this.children.size === 0 && this.known;
  }

  /** Every move that starts with these clicks. */
  *moves() {
    if (this.move) yield this.move;
    for (const child of this.children.values()) yield* child.moves();
  }

  /** The pieces that are captured by every move below this node. */
  get gone() {
    let common = null;
    for (const { x = [] } of this.moves()) {
      common = common === null ? [...x] : common.filter((at) => x.includes(at));
      if (!common.length) break;
    }
    return common ?? [];
  }
}

/** The root of the trie of `view.legal`; a lazy one is still empty. */
export function trie(legal, lazy = false) {
  const root = new Node("", "", null);
  for (const move of legal) {
    let node = root;
    move.c.forEach((token, i) => {
      if (!node.children.has(token)) {
        node.children.set(token, new Node(token, move.kinds?.[i] ?? "to", node));
      }
      node = node.children.get(token);
    });
    if (node !== root) node.move = move;
  }
  root.known = !lazy;
  return root;
}

/** The node that a list of tokens leads to, or null. */
export function find(root, tokens) {
  let node = root;
  for (const token of tokens) {
    node = node.children.get(token);
    if (!node) return null;
  }
  return node;
}

/** A walk down the trie: `click`, `back`, and the clicks so far.
 *
 * `click` returns what happened: "nothing", "back", "step" (more clicks are
 * needed), "ask" (the branch must be requested first), "wait" (the move is
 * complete and needs a confirmation) or "move" (it is `chosen`). */
export class Walk {
  constructor(legal, lazy = false) {
    this.root = trie(legal, lazy);
    this.node = this.root;
    this.pending = null; // a complete move that needs a confirmation
    this.chosen = null; // the move that was made; the walk has ended
  }

  /** The clicks that are possible now: token -> node. */
  get choices() {
    return this.chosen ? new Map() : this.node.children;
  }

  /** The clicks so far, including a pending one. */
  get path() {
    return (this.pending ?? this.node).path;
  }

  /** Whether a click can be taken back. */
  get canGoBack() {
    return !this.chosen && (this.pending !== null || this.node !== this.root);
  }

  click(token, confirm = false) {
    if (this.chosen) return "nothing";
    const child = this.node.children.get(token);
    if (!child) return this.#elsewhere(token, confirm);
    if (child === this.pending) return this.confirm();
    const end = ending(child);
    if (end) {
      this.pending = end;
      return confirm && !token.includes(":") ? "wait" : this.confirm();
    }
    this.pending = null;
    this.node = child;
    return child.known ? "step" : "ask";
  }

  /** A click on the chosen token takes it back; a click on another start starts again. */
  #elsewhere(token, confirm) {
    if (this.node === this.root) return "nothing";
    if (token === this.node.token) return this.back();
    if (!this.root.children.has(token)) return "nothing";
    this.reset();
    return this.click(token, confirm);
  }

  /** Makes the pending move, or the one that can end here. */
  confirm() {
    const node = this.pending ?? this.node;
    if (this.chosen || !node.move) return "nothing";
    this.pending = node;
    this.chosen = node.move;
    return "move";
  }

  /** Makes a move without a point, such as a pass. */
  act(move) {
    if (this.chosen) return "nothing";
    this.reset();
    this.chosen = move;
    return "move";
  }

  back() {
    if (!this.canGoBack) return "nothing";
    if (this.pending) this.pending = null;
    else this.node = this.node.parent;
    return "back";
  }

  reset() {
    this.node = this.root;
    this.pending = this.chosen = null;
  }

  /** The clicks that follow `prefix`, for a lazy list: [{t, kind, ends, n}].
   * False if the walk has not reached that prefix. */
  offer(prefix, tokens) {
    const node = find(this.root, prefix);
    if (!node || node.known) return false;
    for (const { t, kind = "to", ends = false, n = "" } of tokens) {
      const child = new Node(t, kind, node);
      const c = [...prefix, t];
      if (ends) child.move = { c, n: n || c.join(" "), x: [], kinds: [] };
      else child.known = false;
      node.children.set(t, child);
    }
    node.known = true;
    return true;
  }
}

/** The end that a click leads to, or null.  A single remaining click that only removes
 * what is captured anyway is no choice, and is skipped. */
function ending(node) {
  if (node.isEnd) return node;
  if (node.move || node.children.size !== 1) return null;
  const [only] = node.children.values();
  return only.isEnd && only.kind === "rm" && only.move.x?.length === 1 ? only : null;
}
