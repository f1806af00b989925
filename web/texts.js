// SPDX-License-Identifier: Apache-2.0
// Long texts: unpacked from the page's blocks, or asked of the live server, when somebody looks.

const textCache = new Map();

async function unpack(index) {
  const holder = document.getElementById(`block${index}`);
  if (!holder) throw new Error('the page is incomplete');
  const binary = atob(holder.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function remember(key, make) {
  if (!textCache.has(key)) {
    if (textCache.size > 400) textCache.delete(textCache.keys().next().value);
    const made = make();
    made.catch(() => textCache.delete(key)); // a failed look may be tried again
    textCache.set(key, made);
  }
  return textCache.get(key);
}

/** The text a link names: a number in a file, a name on a live page. Rejects with a sentence. */
function textOf(doc, link) {
  if (link === undefined || link === null) return Promise.resolve('');
  if (typeof link === 'string') {
    return remember(link, async () => {
      const answer = await fetch(`${doc.live.texts}${encodeURIComponent(link)}`);
      if (!answer.ok) throw new Error(`the server says ${answer.status}`);
      return answer.text();
    });
  }
  const place = (doc.texts || [])[link];
  if (!place) return Promise.reject(new Error('the page has no such text'));
  if (typeof DecompressionStream === 'undefined') {
    return Promise.reject(new Error('this browser cannot unpack texts; a current one can'));
  }
  return remember(`block ${place[0]}`, () => unpack(place[0])).then((bytes) =>
    new TextDecoder().decode(bytes.subarray(place[1], place[1] + place[2])));
}

/** A place that is filled when the text is there. Later calls for the same place win. */
function lazily(place, promise, draw) {
  const ticket = {};
  place.ticket = ticket;
  promise.then(
    (text) => { if (place.ticket === ticket) place.replaceChildren(draw(text)); },
    (error) => {
      if (place.ticket === ticket) {
        place.replaceChildren(el('p', {class: 'notice'}, `Cannot show this text: ${error.message}.`));
      }
    });
  return place;
}
