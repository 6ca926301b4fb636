"use strict";
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const unfoldTo = () => {
    let target;
    try { target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.classList.remove("hide");
    target.closest(".suite")?.classList.remove("hide");
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfoldTo);

  for (const button of all("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = button.parentElement.querySelector("code");
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch { // a page that was opened from disk may not be let: what is selected can be copied by hand
        getSelection().selectAllChildren(text);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  const form = document.getElementById("filter");
  if (form) {
    const find = document.getElementById("find"), told = document.getElementById("told"), unfold = document.getElementById("unfold");
    const suites = all(".suite"), scenarios = all(".scenario"), boxes = all("input[name=verdict]", form);
    const apply = () => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
      const narrowed = words.length > 0 || verdicts.size < boxes.length;
      let shown = 0;
      for (const suite of suites) {
        let here = 0;
        for (const scenario of all(".scenario", suite)) {
          const fits = verdicts.has(scenario.dataset.verdict) && words.every((word) => scenario.dataset.words.includes(word));
          scenario.classList.toggle("hide", !fits);
          if (fits) here++;
        }
        suite.classList.toggle("hide", here === 0);
        if (narrowed) suite.open = here > 0;
        shown += here;
      }
      told.textContent = narrowed ? `${shown} of ${scenarios.length} scenarios` : "";
    };
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", apply);
    unfold.addEventListener("click", () => {
      const open = unfold.dataset.open !== "yes";
      for (const suite of suites) suite.open = open;
      unfold.dataset.open = open ? "yes" : "";
      unfold.textContent = open ? "Fold all" : "Unfold all";
    });
    apply(); // a browser may have kept what was typed
  }
  unfoldTo();
})();
