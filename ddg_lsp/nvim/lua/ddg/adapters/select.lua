-- Asks with `vim.ui.input` and shows the hits with `vim.ui.select`, whatever the user has put in their place.
local hits = require('ddg.hits')
local search = require('ddg.search')

local M = {}

function M.format(hit)
  return ('%s%s  %s'):format(hits.is_weak(hit) and '~ ' or '', hits.heading(hit), hits.place(hit))
end

local function choose(answer, client)
  local words = require('ddg.status').words(answer.index)
  vim.ui.select(answer.hits, { prompt = ('Docs (%s)'):format(words), format_item = M.format }, function(hit)
    if hit then
      hits.open(hit, client, 'edit')
    end
  end)
end

local function ask(text, bufnr)
  search.search(text, { bufnr = bufnr }, function(err, answer, client)
    if err then
      vim.notify('ddg: ' .. err, vim.log.levels.ERROR)
    elseif #answer.hits > 0 then
      choose(answer, client)
    elseif answer.query ~= '' then
      vim.notify('ddg: nothing was found.')
    end
  end)
end

function M.open(options)
  if options.text ~= '' then
    return ask(options.text, options.bufnr)
  end
  vim.ui.input({ prompt = 'Ask the docs: ' }, function(text)
    if text then
      ask(text, options.bufnr)
    end
  end)
end

return M
