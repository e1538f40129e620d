/* What this browser remembers between visits; a browser that may not remember goes without. */

export function recall(name, otherwise = null) {
  try {
    return localStorage.getItem(`playproof.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** The same for data; what cannot be read counts as forgotten. */
export function recallData(name, otherwise) {
  try {
    return JSON.parse(recall(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`playproof.${name}`);
    else localStorage.setItem(`playproof.${name}`, value);
  } catch {
    // nothing is lost but a convenience
  }
}
