-- The condition of the index: what the server told last, in words for a status line, a picker and `:Ddg status`.
local M = {}
local known = {} -- by client id

local function count(number, noun)
  return ('%d %s%s'):format(number, noun, number == 1 and '' or 's')
end

-- A few words for an `index` of the protocol; empty where there is nothing to know.
function M.words(index)
  if not index then
    return ''
  elseif index.state == 'building' then
    if index.passages == 0 then
      return 'reading documents'
    end
    return ('indexing %d of %d'):format(index.embedded, index.passages)
  elseif index.state == 'stale' then
    return 'changes on disk not all read'
  elseif index.state == 'lexicalOnly' then
    return 'by words alone: no model'
  elseif index.state == 'failed' then
    return 'indexing failed'
  end
  return count(index.documents, 'document')
end

-- `ddg/status` has come.
function M.receive(client_id, status)
  known[client_id] = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'DdgStatus', data = { client_id = client_id, status = status } })
end

-- What this client told last; nil for nothing yet.
function M.of(client)
  return client and known[client.id]
end

-- For a status line: empty unless something is under way or wrong.
function M.line()
  -- Drawn with every key: no file system is asked which client belongs here.
  local here = vim.lsp.get_clients({ name = 'ddg_lsp', bufnr = 0 })[1]
  local status = M.of(here or vim.lsp.get_clients({ name = 'ddg_lsp' })[1])
  if not status or (status.quiescent and status.health == 'ok') then
    return ''
  end
  return 'docs: ' .. M.words(status.index)
end

-- The lines of `:Ddg status`, from the result of `ddg.server.showStatus`.
function M.page(status)
  local index, model = status.index, status.model
  local lines = {
    ('ddg-lsp %s: %s'):format(status.version, index.state),
    '',
    ('documents   %d'):format(index.documents),
    ('passages    %d, of which %d embedded'):format(index.passages, index.embedded),
    'indexed at  ' .. (type(index.indexedAt) == 'string' and index.indexedAt or 'not yet'),
    'model       ' .. (type(model) == 'table' and ('%s (%s)'):format(model.id, model.embedder) or 'none'),
    'why         ' .. status.reason,
  }
  if (status.message or '') ~= '' then
    lines[#lines + 1] = 'message     ' .. status.message
  end
  for _, tried in ipairs(status.tried) do
    lines[#lines + 1] = ('not used    %s: %s'):format(tried.embedder, tried.reason)
  end
  for _, folder in ipairs(status.folders) do
    M.folder(folder, lines)
  end
  return vim.tbl_map(function(line)
    return (line:gsub('%c', ' '))
  end, lines)
end

function M.folder(folder, lines)
  local name = vim.startswith(folder.uri, 'file:') and vim.uri_to_fname(folder.uri) or 'open documents of no folder'
  vim.list_extend(lines, { '', ('%s: %s'):format(name, M.words(folder.index)) })
  local skipped = folder.index.skipped
  if #skipped > 0 then
    lines[#lines + 1] = ('  left out: %d'):format(#skipped)
  end
  for _, skip in ipairs(skipped) do
    lines[#lines + 1] = ('    %-20s %s'):format(skip.reason, skip.path)
  end
end

return M
