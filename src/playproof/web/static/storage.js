/* Values that this browser stores between visits; without storage the defaults apply. */

export function recall(name, otherwise = null) {
  try {
    return localStorage.getItem(`playproof.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** The same for JSON data; unreadable data counts as missing. */
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
    // only a convenience is lost
  }
}
