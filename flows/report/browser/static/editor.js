// Ctrl+Enter (or Command+Enter) in the query runs it, as the button does.
document.getElementById("q").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});
