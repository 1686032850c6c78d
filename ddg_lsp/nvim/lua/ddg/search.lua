-- The one search function: what every picker is built on.
local config = require('ddg.config')
local clients = require('ddg.client')

local M = {}
local MAX_CHARACTERS = 2000
local REQUEST_CANCELLED = -32800

-- The question as it is sent: one line, blanks trimmed, not longer than the server takes.
function M.question(text)
  local line = vim.trim((text or ''):gsub('%s+', ' '))
  return vim.trim(vim.fn.strcharpart(line, 0, MAX_CHARACTERS))
end

local function params(question, options)
  local limit = config.get().limit
  return {
    query = question,
    limit = options.limit or (limit > 0 and limit or nil),
    mode = options.mode,
    paths = options.paths,
    perFile = options.per_file,
  }
end

-- Asks `text` and calls `done(error_message, answer, client)` once, unless the function that is returned is called
-- before: it cancels the request. `options`: `bufnr` (whose workspace is asked), `limit`, `mode`, `paths`, `per_file`.
-- An empty text has an empty answer.
function M.search(text, options, done)
  local question, cancelled, cancel_request = M.question(text), false, nil
  if question == '' then
    vim.schedule(function()
      if not cancelled then
        done(nil, { query = '', hits = {} })
      end
    end)
  else
    clients.get(options.bufnr or vim.api.nvim_get_current_buf(), function(client, why)
      if cancelled then
        return
      elseif not client then
        return done(why)
      end
      local sent, id = client:request('workspace/semanticDocQuery', params(question, options), function(err, answer)
        if not cancelled and not (err and err.code == REQUEST_CANCELLED) then
          done(err and err.message, answer, client)
        end
      end)
      if not sent then
        return done('ddg-lsp has ended. Ask again to start it.')
      end
      cancel_request = function()
        client:cancel_request(id)
      end
    end)
  end
  return function()
    if not cancelled then
      cancelled = true
      if cancel_request then
        cancel_request()
      end
    end
  end
end

return M
