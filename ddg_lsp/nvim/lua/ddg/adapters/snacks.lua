-- snacks.nvim: a live source over the search function. Our order is the answer: items are sorted by their number alone.
local hits = require('ddg.hits')
local search = require('ddg.search')

local M = {}

function M.item(hit, number)
  local start = hit.selectionRange.start
  return {
    idx = number,
    text = hits.heading(hit) .. ' ' .. hit.path,
    file = vim.uri_to_fname(hit.uri),
    pos = { start.line + 1, start.character },
    hit = hit,
  }
end

function M.format(item)
  local weak = hits.is_weak(item.hit)
  return {
    { weak and '~ ' or '  ', 'SnacksPickerComment' },
    { hits.heading(item.hit), weak and 'SnacksPickerComment' or 'SnacksPickerLabel' },
    { '  ' },
    { hits.place(item.hit), 'SnacksPickerDir' },
  }
end

-- The finder runs in a coroutine outside the main loop: it asks by `vim.schedule`, and is woken by the answer.
function M.finder(options)
  return function(_, context)
    local prompt = context.filter.search
    return function(add)
      local task, cancel, answered = context.async, nil, nil
      task:on('abort', function()
        vim.schedule(function()
          if cancel then
            cancel()
          end
        end)
      end)
      vim.schedule(function()
        cancel = search.search(prompt, options, function(err, answer)
          answered = answer or { hits = {} }
          if err then
            vim.notify('ddg: ' .. err, vim.log.levels.ERROR)
          end
          task:resume()
        end)
      end)
      while not answered do
        task:suspend()
      end
      for number, hit in ipairs(answered.hits) do
        add(M.item(hit, number))
      end
    end
  end
end

function M.open(options)
  require('snacks').picker.pick({
    source = 'ddg',
    title = 'Ask the docs',
    live = true,
    supports_live = true,
    search = options.text,
    finder = M.finder({ bufnr = options.bufnr }),
    format = M.format,
    preview = 'file',
    sort = { fields = { 'idx' } },
    matcher = { sort_empty = false },
  })
end

return M
