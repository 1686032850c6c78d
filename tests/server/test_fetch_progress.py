"""A model the user named and that is not here: the editor shows how far it is, and why it is not used if it is not."""

from __future__ import annotations

import pytest

from tests.helpers.documents import write
from tests.helpers.editor import SHIPPED, VSCODE, editing, until
from tests.helpers.hub_server import hub_server
from tests.helpers.model_folders import write_model_folder

pytestmark = [pytest.mark.asyncio, pytest.mark.torch]

MODEL = "some/model"


async def test_fetching_a_model_is_shown_as_work_in_progress(tmp_path, monkeypatch):
    folder = write_model_folder(tmp_path / "origin", {"model.safetensors": "w" * 30_000_000})
    root = write(tmp_path / "w", {"a.md": "# A\n\nwalrus\n"})
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with hub_server(MODEL, folder) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        settings = {"embedder": "sentence-transformers", "model": MODEL}
        async with editing(root, editor=VSCODE, command=SHIPPED, settings=settings) as it:

            def fetching():
                shown = it.client.progress_reports.values()
                return next((values for values in shown if values and MODEL in getattr(values[0], "title", "")), None)

            values = await until(lambda: (found := fetching()) and found[-1].kind == "end" and found, 60.0)
            assert values[0].title == f"Fetching {MODEL}"
            shares = [value.percentage for value in values[1:-1]]
            assert shares == sorted(shares)
            assert all(" MB" in value.message for value in values[1:-1])
            # It is no model, though: the words answer, and say why.
            index = (await until(lambda: _lacking(it)))["index"]
            assert MODEL.split("/")[-1] in index["message"] or "model" in index["message"]


async def _lacking(it):
    answer = await it.query("walrus")
    return answer if answer["index"]["state"] == "lexicalOnly" else None
