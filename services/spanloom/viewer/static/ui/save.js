/** Saves a file that the page fetched or created. */

/** @param {BlobPart} body @param {string} type its media type @param {string} name of the file */
export function save(body, type, name) {
  const url = URL.createObjectURL(new Blob([body], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
