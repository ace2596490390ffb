// Comfort only: the report is whole without it. It opens the card that the address
// names, and hides the cards that a filter leaves out.
"use strict";
(() => {
  const cards = [...document.querySelectorAll("details.card")];
  const form = document.getElementById("filter");

  const goTo = () => {
    // Not by :target, which the browser may set only when all of the page is there.
    const card = cards.find(({ id }) => location.hash === "#" + encodeURIComponent(id));
    if (!card) return false;
    card.hidden = false;
    card.open = true;
    card.scrollIntoView();
    card.querySelector("summary").focus({ preventScroll: true });
    return true;
  };

  if (form) {
    const buttons = [...form.querySelectorAll("button")];
    const search = document.getElementById("search");
    const shown = document.getElementById("shown");
    let show = "";

    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const card of cards) {
        const fits =
          (!show ||
            (show === "changed" ? "changed" in card.dataset : card.dataset.verdict === show)) &&
          (!words.length ||
            words.every((word) => card.textContent.toLowerCase().includes(word)));
        card.hidden = !fits;
        count += fits ? 1 : 0;
      }
      for (const button of buttons) {
        button.setAttribute("aria-pressed", String(button.dataset.show === show));
      }
      shown.textContent = shown.dataset.words
        .replace("{shown}", count)
        .replace("{n}", cards.length);
    };

    const remember = () => {
      const state = new URLSearchParams();
      if (show) state.set("show", show);
      if (search.value) state.set("q", search.value);
      const hash = state.toString();
      apply();
      history.replaceState(null, "", hash ? "#?" + hash : location.href.split("#")[0]);
    };

    const recall = () => {
      if (location.hash.startsWith("#?")) {
        const state = new URLSearchParams(location.hash.slice(2));
        show = state.get("show") || "";
        search.value = state.get("q") || "";
      }
      apply();
    };

    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const button of buttons) {
      button.addEventListener("click", () => {
        show = button.dataset.show;
        remember();
      });
    }
    search.addEventListener("input", remember);
    window.addEventListener("hashchange", () => goTo() || recall());
    recall();
  }
  goTo();

  // A closed card would be missing on paper.
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });
})();
